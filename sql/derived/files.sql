-- The files (source_id) of the runs $run_ids (a JSON list), also of rows written by hand, and how
-- many rows of each the attribution of idle time reads; 0 for the file of a run without rows.
WITH
  asked AS (
    SELECT unnest(from_json($run_ids, '["VARCHAR"]')) AS run_id
  ),

  files AS (
    SELECT
      run_id, source_id,
      CASE WHEN "table" IN (
        'nodes', 'workers', 'tasks', 'task_data', 'task_inputs', 'transfers', 'runtime_intervals'
      ) THEN rows END AS traced
    FROM _landed_rows
    -- derived from others
    WHERE "table" NOT IN ('idle_intervals', 'idle_latency', 'idle_segments')
    UNION ALL
    SELECT run_id, source_id, 0 FROM run_facts
  )

SELECT
  run_id, coalesce(source_id, 0) AS source_id, CAST(coalesce(sum(traced), 0) AS BIGINT) AS traced
FROM asked
LEFT JOIN files USING (run_id)
GROUP BY ALL;
