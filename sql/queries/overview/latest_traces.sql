-- For each kind of trace, by its landing table, the run that started last (where that is unknown,
-- what counts is when it landed), among the last runs of each reader and application.
WITH
  traced AS (
    SELECT DISTINCT 'pmu_samples' AS kind, run_id FROM pmu_samples SEMI JOIN _last_runs USING (run_id)
    UNION ALL
    SELECT DISTINCT 'fn_timings', run_id FROM fn_timings SEMI JOIN _last_runs USING (run_id)
    UNION ALL
    SELECT DISTINCT 'tasks', run_id FROM tasks SEMI JOIN _last_runs USING (run_id)
    UNION ALL
    SELECT DISTINCT 'bb_launches', run_id FROM bb_launches SEMI JOIN _last_runs USING (run_id)
    UNION ALL
    SELECT DISTINCT 'segments', run_id FROM segments SEMI JOIN _last_runs USING (run_id)
  )

SELECT t.kind, t.run_id, r.app, r.version
FROM traced AS t
JOIN _last_runs AS c USING (run_id)
JOIN runs AS r USING (run_id)
QUALIFY row_number() OVER (
  PARTITION BY t.kind ORDER BY c.last_at DESC, c.position DESC, t.run_id DESC
) = 1
ORDER BY t.kind;
