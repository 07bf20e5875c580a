-- The critical path of one run, by type of task and cause.
FROM critical_path_shares($run_id)
ORDER BY ns DESC;
