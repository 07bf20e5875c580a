-- Of fn_timings what sets of runs are made of: a row for each run and count.
SELECT run_id, parallelism, any_value(seconds) AS seconds
FROM fn_timings
GROUP BY run_id, parallelism;
