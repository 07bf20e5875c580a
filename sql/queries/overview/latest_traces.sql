-- For each kind of trace, by its landing table, the run that started last (where that is unknown,
-- what counts is when it landed), among the last runs of each reader and application.
WITH
  landed AS (
    SELECT f.run_id, coalesce(r.started_at, s.ingested_at) AS last_at, f.position
    FROM run_facts AS f
    JOIN sources AS s USING (source_id)
    JOIN runs AS r USING (run_id)
    QUALIFY row_number() OVER (
      PARTITION BY s.reader, r.app ORDER BY last_at DESC, f.position DESC, f.run_id DESC
    ) <= 2
  ),

  candidates AS MATERIALIZED (
    SELECT run_id, max(last_at) AS last_at, max(position) AS position
    FROM landed
    GROUP BY run_id
    ORDER BY last_at DESC, position DESC
    LIMIT 100
  ),

  traced AS (
    SELECT DISTINCT 'pmu_samples' AS kind, run_id FROM pmu_samples SEMI JOIN candidates USING (run_id)
    UNION ALL
    SELECT DISTINCT 'fn_timings', run_id FROM fn_timings SEMI JOIN candidates USING (run_id)
    UNION ALL
    SELECT DISTINCT 'tasks', run_id FROM tasks SEMI JOIN candidates USING (run_id)
    UNION ALL
    SELECT DISTINCT 'bb_launches', run_id FROM bb_launches SEMI JOIN candidates USING (run_id)
    UNION ALL
    SELECT DISTINCT 'segments', run_id FROM segments SEMI JOIN candidates USING (run_id)
  )

SELECT t.kind, t.run_id, r.app, r.version
FROM traced AS t
JOIN candidates AS c USING (run_id)
JOIN runs AS r USING (run_id)
QUALIFY row_number() OVER (
  PARTITION BY t.kind ORDER BY c.last_at DESC, c.position DESC, t.run_id DESC
) = 1
ORDER BY t.kind;
