-- From when to when the workers of one run were there.
FROM _worker_windows
WHERE run_id = $run_id;
