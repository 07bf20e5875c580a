-- For each kind of trace, by its landing table, the first of the runs $runs that has one.
WITH
  named AS (
    SELECT
      unnest(from_json($runs, '["VARCHAR"]')) AS run_id,
      generate_subscripts(from_json($runs, '["VARCHAR"]'), 1) AS place
  ),

  traced AS (
    SELECT DISTINCT 'pmu_samples' AS kind, run_id FROM pmu_samples SEMI JOIN named USING (run_id)
    UNION ALL
    SELECT DISTINCT 'fn_timings', run_id FROM fn_timings SEMI JOIN named USING (run_id)
    UNION ALL
    SELECT DISTINCT 'tasks', run_id FROM tasks SEMI JOIN named USING (run_id)
    UNION ALL
    SELECT DISTINCT 'bb_launches', run_id FROM bb_launches SEMI JOIN named USING (run_id)
    UNION ALL
    SELECT DISTINCT 'segments', run_id FROM segments SEMI JOIN named USING (run_id)
  )

SELECT t.kind, t.run_id, r.app, r.version
FROM traced AS t
JOIN named AS n USING (run_id)
JOIN runs AS r USING (run_id)
QUALIFY row_number() OVER (PARTITION BY t.kind ORDER BY n.place) = 1
ORDER BY t.kind;
