-- Workers of one run on which tasks of the same type take longer than elsewhere, the slowest first.
SELECT worker, tasks, factor, low, high
FROM worker_slowdown
WHERE run_id = $run_id AND is_slow
ORDER BY factor DESC, worker;
