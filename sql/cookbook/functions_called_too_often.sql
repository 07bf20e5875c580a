-- Which functions are cheap per call, but called so often that they cost something?
--
-- Candidates for inlining, batching or moving out of a loop: less than 10 us a call, more than
-- 1 % of the run.
WITH
  -- per call over all ranks and threads
  calls AS (
    SELECT run_id, function, sum(calls) AS calls, sum(seconds) / sum(calls) AS seconds_per_call
    FROM fn_timings
    WHERE calls > 0
    GROUP BY run_id, function
  )
SELECT
  app, version, function, calls.calls,
  round(1e6 * seconds_per_call, 3) AS microseconds_per_call,
  round(100 * share, 1) AS percent
FROM calls
JOIN function_shares USING (run_id, function)
JOIN runs USING (run_id)
WHERE seconds_per_call < 10e-6 AND share > 0.01
ORDER BY share DESC;
