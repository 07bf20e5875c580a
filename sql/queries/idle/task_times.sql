-- When the tasks of one run were submitted, started and ended.
FROM _task_times
WHERE run_id = $run_id;
