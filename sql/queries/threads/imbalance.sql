-- How unevenly the threads of each process of one run share its instructions and its seconds, the most
-- uneven first.
SELECT * EXCLUDE (run_id)
FROM thread_imbalance
WHERE run_id = $run_id
ORDER BY measure, imbalance DESC NULLS LAST, rank, parallelism, repetition;
