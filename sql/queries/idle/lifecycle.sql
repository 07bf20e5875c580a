-- Where the time of the tasks of one run went from their submission to their end.
SELECT
  CAST(sum(tasks) AS BIGINT) AS tasks, CAST(sum(known_tasks) AS BIGINT) AS known_tasks,
  sum(wait_for_inputs_ns) / 1e9 AS wait_for_inputs_seconds,
  sum(wait_to_run_ns) / 1e9 AS wait_to_run_seconds, sum(run_ns) / 1e9 AS run_seconds
FROM task_lifecycle_by_type
WHERE run_id = $run_id;
