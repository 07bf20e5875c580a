-- key: run_id VARCHAR
-- scope: run_id
-- reads: nodes, task_data, task_inputs, tasks, workers
-- requires: run_contents, task_lifecycle
--
-- Where the time of the tasks of each type went from submission to end.

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND rows['tasks'] > 0;

-- rows
SELECT
  run_id, name, count(*) AS tasks,
  count(*) FILTER (wait_for_inputs_ns IS NOT NULL) AS known_tasks,
  CAST(sum(wait_for_inputs_ns) AS BIGINT) AS wait_for_inputs_ns,
  CAST(sum(wait_to_run_ns) FILTER (wait_for_inputs_ns IS NOT NULL) AS BIGINT)
    AS wait_to_run_ns,
  CAST(sum(run_ns) FILTER (wait_for_inputs_ns IS NOT NULL) AS BIGINT) AS run_ns
FROM task_lifecycle
GROUP BY run_id, name;
