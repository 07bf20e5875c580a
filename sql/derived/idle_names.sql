-- Names of the workers, in the order of their numbers, which are 1 ...
SELECT r, run_id, source_id, worker
FROM _idle_worker
JOIN _idle_run USING (r)
ORDER BY w;
