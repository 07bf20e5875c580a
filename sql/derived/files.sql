-- The files (source_id) of the runs $run_ids (a JSON list), also of rows written by hand, and how
-- many rows of each the attribution of idle time reads; 0 for the file of a run without rows.
WITH
  asked AS (
    SELECT unnest(from_json($run_ids, '["VARCHAR"]')) AS run_id
  ),

  files AS (
    SELECT run_id, source_id, 0 AS traced FROM run_facts SEMI JOIN asked USING (run_id)
    UNION
    SELECT run_id, source_id, 0 FROM pmu_samples SEMI JOIN asked USING (run_id)
    UNION
    SELECT run_id, source_id, 0 FROM fn_timings SEMI JOIN asked USING (run_id)
    UNION
    SELECT run_id, source_id, 0 FROM bb_launches SEMI JOIN asked USING (run_id)
    UNION
    SELECT run_id, source_id, 0 FROM bb_visits SEMI JOIN asked USING (run_id)
    UNION
    SELECT run_id, source_id, 0 FROM bb_blocks SEMI JOIN asked USING (run_id)
    UNION
    SELECT run_id, source_id, 0 FROM segments SEMI JOIN asked USING (run_id)
    UNION
    SELECT run_id, source_id, 0 FROM metrics SEMI JOIN asked USING (run_id)
  ),

  traces AS (
    SELECT run_id, source_id, count(*) AS traced
    FROM (
      SELECT run_id, source_id FROM nodes
      UNION ALL
      SELECT run_id, source_id FROM workers
      UNION ALL
      SELECT run_id, source_id FROM tasks
      UNION ALL
      SELECT run_id, source_id FROM task_data
      UNION ALL
      SELECT run_id, source_id FROM task_inputs
      UNION ALL
      SELECT run_id, source_id FROM transfers
      UNION ALL
      SELECT run_id, source_id FROM runtime_intervals
    )
    SEMI JOIN asked USING (run_id)
    GROUP BY run_id, source_id
  )

SELECT
  run_id, coalesce(source_id, 0) AS source_id, CAST(coalesce(sum(traced), 0) AS BIGINT) AS traced
FROM asked
LEFT JOIN (FROM files UNION ALL FROM traces) AS file USING (run_id)
GROUP BY ALL;
