-- The part of fn_timings that sets of runs are derived from: a row for each run and count.
SELECT run_id, parallelism, any_value(seconds) AS seconds
FROM fn_timings
GROUP BY run_id, parallelism;
