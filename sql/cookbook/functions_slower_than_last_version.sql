-- Which functions lost most time between the last two versions of each program?
--
-- Versions are compared where machine, processes, threads and problem size are the same. Small
-- differences may be noise: functions_slower_beyond_noise.sql leaves those out.
WITH
  versions AS (
    SELECT app, configuration, version, min(started_at) AS first_start
    FROM run_configurations
    WHERE version IS NOT NULL AND run_id IN (SELECT run_id FROM function_shares)
    GROUP BY app, configuration, version
  ),

  -- the versions of each configuration, the latest first
  pairs AS (
    SELECT app, configuration, list(version ORDER BY first_start DESC, version DESC) AS latest
    FROM versions
    GROUP BY app, configuration
    HAVING count(*) > 1
  ),

  -- a function's time in both versions; 0 where it was not called
  times AS (
    SELECT
      app, configuration, latest[2] AS earlier, latest[1] AS later, function,
      coalesce(median(seconds) FILTER (version = latest[2]), 0) AS seconds_earlier,
      coalesce(median(seconds) FILTER (version = latest[1]), 0) AS seconds_later
    FROM pairs
    JOIN run_configurations USING (app, configuration)
    JOIN function_shares USING (run_id)
    WHERE version IN (latest[1], latest[2])
    GROUP BY app, configuration, latest, function
  )
SELECT
  app, configuration['ranks'] AS ranks, earlier, later, function,
  round(seconds_earlier, 3) AS seconds_earlier,
  round(seconds_later, 3) AS seconds_later,
  round(seconds_later - seconds_earlier, 3) AS seconds_lost
FROM times
WHERE seconds_later > seconds_earlier
ORDER BY seconds_later - seconds_earlier DESC
LIMIT 15;
