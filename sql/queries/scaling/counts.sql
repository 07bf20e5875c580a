-- The part of fn_timings that sets of runs are derived from: a row for each run and count. Rows
-- without a count are grouped by the run alone: by one column DuckDB does that far faster.
SELECT run_id, parallelism, any_value(seconds) AS seconds
FROM fn_timings
WHERE parallelism IS NOT NULL
GROUP BY run_id, parallelism
UNION ALL
SELECT run_id, NULL, any_value(seconds)
FROM fn_timings
WHERE parallelism IS NULL
GROUP BY run_id;
