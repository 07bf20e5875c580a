-- The chain that the end of one run hangs on, by type of task and cause.
FROM critical_path_shares($run_id)
ORDER BY ns DESC;
