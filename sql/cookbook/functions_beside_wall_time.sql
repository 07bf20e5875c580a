-- How much of the wall time of each run is in no measured function?
--
-- A large rest is time that the profile does not see: start, input and output, system calls. A
-- negative one says that threads or processes were added up.
SELECT
  app, version, run_id,
  round(wall_seconds, 3) AS wall_seconds,
  round(sum(seconds), 3) AS function_seconds,
  round(100 * (1 - sum(seconds) / wall_seconds), 2) AS rest_percent
FROM runs
JOIN function_shares USING (run_id)
WHERE wall_seconds > 0
GROUP BY app, version, run_id, wall_seconds
ORDER BY rest_percent DESC
LIMIT 10;
