-- Which functions are slow because of what they call?
--
-- Time with callees is large, own time is small: look at the callees, or call them less often.
-- Where a function calls itself, the time with callees counts the inner calls again.
SELECT
  app, version, function,
  round(sum(inclusive_seconds), 3) AS seconds_with_callees,
  round(sum(seconds), 3) AS own_seconds,
  round(100 * sum(seconds) / sum(inclusive_seconds), 1) AS own_percent
FROM fn_timings
JOIN runs USING (run_id)
GROUP BY app, version, run_id, function
HAVING sum(inclusive_seconds) > 0.01 AND sum(seconds) < 0.9 * sum(inclusive_seconds)
ORDER BY sum(inclusive_seconds) - sum(seconds) DESC
LIMIT 15;
