-- key: run_id VARCHAR
-- scope: run_id
-- reads: idle_intervals, nodes, tasks, transfers, workers
-- requires: run_contents, idle_blame
-- functions:
--
-- Starvation added up by the worker and the type of task that workers waited for, in each reading.

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND rows['tasks'] > 0;

-- rows
-- Only the wait for the last input is blamed on its producer, so only that is added up.
SELECT
  i.run_id, i.mode, i.latency_rule, i.blamed_worker, t.name AS blamed_type,
  count(*) AS intervals, CAST(sum(i.starvation1) AS BIGINT) AS starvation1,
  CAST(sum(i.starvation) AS BIGINT) AS starvation,
  CAST(sum(i.lat_inherited) AS BIGINT) AS latency,
  CAST(sum(i.ov_concrete + i.ov_uniform) AS BIGINT) AS overhead
FROM idle_attribution AS i
LEFT JOIN _task_types AS t ON i.run_id = t.run_id AND i.blamed_task = t.task
WHERE i.kind <> 'tail' AND i.starvation1 > 0
GROUP BY i.run_id, i.mode, i.latency_rule, i.blamed_worker, t.name;
