-- Rows of one run by landing table, empty ones left out.
FROM (
  SELECT 'pmu_samples' AS "table", count(*) AS rows FROM pmu_samples WHERE run_id = $run_id
  UNION ALL SELECT 'fn_timings', count(*) FROM fn_timings WHERE run_id = $run_id
  UNION ALL SELECT 'nodes', count(*) FROM nodes WHERE run_id = $run_id
  UNION ALL SELECT 'workers', count(*) FROM workers WHERE run_id = $run_id
  UNION ALL SELECT 'tasks', count(*) FROM tasks WHERE run_id = $run_id
  UNION ALL SELECT 'task_data', count(*) FROM task_data WHERE run_id = $run_id
  UNION ALL SELECT 'task_inputs', count(*) FROM task_inputs WHERE run_id = $run_id
  UNION ALL SELECT 'transfers', count(*) FROM transfers WHERE run_id = $run_id
  UNION ALL SELECT 'runtime_intervals', count(*) FROM runtime_intervals WHERE run_id = $run_id
  UNION ALL SELECT 'bb_launches', count(*) FROM bb_launches WHERE run_id = $run_id
  UNION ALL SELECT 'bb_visits', count(*) FROM bb_visits WHERE run_id = $run_id
  UNION ALL SELECT 'bb_edges', count(*) FROM bb_edges WHERE run_id = $run_id
  UNION ALL SELECT 'bb_blocks', count(*) FROM bb_blocks WHERE run_id = $run_id
  UNION ALL SELECT 'bb_opcodes', count(*) FROM bb_opcodes WHERE run_id = $run_id
  UNION ALL SELECT 'bb_dependences', count(*) FROM bb_dependences WHERE run_id = $run_id
  UNION ALL SELECT 'segments', count(*) FROM segments WHERE run_id = $run_id
  UNION ALL SELECT 'metrics', count(*) FROM metrics WHERE run_id = $run_id
)
WHERE rows > 0;
