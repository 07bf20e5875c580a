-- Rows of the runs $runs (a JSON list) by landing table, those without any left out, as counted now.
WITH
  asked AS (
    SELECT unnest(from_json($runs, '["VARCHAR"]')) AS run_id
  ),

  landed ("table", run_id) AS (
    SELECT 'pmu_samples', run_id FROM pmu_samples
    UNION ALL
    SELECT 'fn_timings', run_id FROM fn_timings
    UNION ALL
    SELECT 'nodes', run_id FROM nodes
    UNION ALL
    SELECT 'workers', run_id FROM workers
    UNION ALL
    SELECT 'tasks', run_id FROM tasks
    UNION ALL
    SELECT 'task_data', run_id FROM task_data
    UNION ALL
    SELECT 'task_inputs', run_id FROM task_inputs
    UNION ALL
    SELECT 'transfers', run_id FROM transfers
    UNION ALL
    SELECT 'runtime_intervals', run_id FROM runtime_intervals
    UNION ALL
    SELECT 'bb_launches', run_id FROM bb_launches
    UNION ALL
    SELECT 'bb_visits', run_id FROM bb_visits
    UNION ALL
    SELECT 'bb_edges', run_id FROM bb_edges
    UNION ALL
    SELECT 'bb_blocks', run_id FROM bb_blocks
    UNION ALL
    SELECT 'bb_opcodes', run_id FROM bb_opcodes
    UNION ALL
    SELECT 'bb_dependences', run_id FROM bb_dependences
    UNION ALL
    SELECT 'segments', run_id FROM segments
    UNION ALL
    SELECT 'metrics', run_id FROM metrics
  )

SELECT run_id, "table", count(*) AS rows
FROM landed
SEMI JOIN asked USING (run_id)
GROUP BY run_id, "table"
ORDER BY run_id, "table";
