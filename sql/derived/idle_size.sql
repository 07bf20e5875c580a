-- How many rows the attribution of the runs in _idle_run reads.
SELECT count(*) AS traced
FROM (
  SELECT run_id FROM tasks
  UNION ALL
  SELECT run_id FROM task_data
  UNION ALL
  SELECT run_id FROM task_inputs
  UNION ALL
  SELECT run_id FROM transfers
  UNION ALL
  SELECT run_id FROM runtime_intervals
)
SEMI JOIN _idle_run USING (run_id);
