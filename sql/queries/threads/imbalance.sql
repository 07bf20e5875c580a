-- How unevenly the threads of each process of one run share its instructions and its seconds, the most
-- uneven first; not of processes with one thread.
SELECT * EXCLUDE (run_id)
FROM thread_imbalance
WHERE run_id = $run_id AND (threads > 1 OR first_thread IS NOT NULL)
ORDER BY measure, imbalance DESC NULLS LAST, rank, parallelism, repetition;
