-- The $number runs that started last (where that is unknown, what counts is when they landed), those with the most kinds of trace among them first.
WITH
  latest AS MATERIALIZED (
    SELECT
      f.run_id, coalesce(any_value(r.started_at), max(s.ingested_at)) AS last_at,
      max(f.position) AS position
    FROM run_facts AS f
    JOIN sources AS s USING (source_id)
    JOIN runs AS r USING (run_id)
    GROUP BY f.run_id
    ORDER BY last_at DESC, position DESC, f.run_id
    LIMIT $number
  ),

  traced AS (
    SELECT DISTINCT run_id, 'pmu_samples' AS kind FROM pmu_samples SEMI JOIN latest USING (run_id)
    UNION ALL
    SELECT DISTINCT run_id, 'fn_timings' FROM fn_timings SEMI JOIN latest USING (run_id)
    UNION ALL
    SELECT DISTINCT run_id, 'tasks' FROM tasks SEMI JOIN latest USING (run_id)
    UNION ALL
    SELECT DISTINCT run_id, 'bb_launches' FROM bb_launches SEMI JOIN latest USING (run_id)
    UNION ALL
    SELECT DISTINCT run_id, 'segments' FROM segments SEMI JOIN latest USING (run_id)
  )

SELECT l.run_id, count(t.kind) AS kinds
FROM latest AS l
LEFT JOIN traced AS t USING (run_id)
GROUP BY l.run_id, l.last_at, l.position
ORDER BY kinds DESC, l.last_at DESC, l.position DESC, l.run_id;
