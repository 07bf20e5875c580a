-- What each thread of one run spent.
SELECT measure, rank, parallelism, repetition, thread, threads, value, working
FROM thread_work
WHERE run_id = $run_id
ORDER BY measure, rank, parallelism, repetition, thread;
