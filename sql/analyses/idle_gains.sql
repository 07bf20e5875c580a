-- key: run_id VARCHAR
-- scope: run_id
-- reads: critical_paths, idle_intervals, nodes, runtime_intervals, task_data, task_inputs, tasks, tasks_in_turn, workers
-- requires: run_contents, idle_what_if
-- functions: replay
--
-- How much shorter a run could be. More than 20,000 tasks are not replayed: of 100,000 the replays would
-- take a third of the time in which they land (tests/bench/bench_idle.py). idle_what_if replays these.

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND rows['tasks'] BETWEEN 1 AND 2_000_000;

-- rows
FROM _gains(NULL, 20_000);
