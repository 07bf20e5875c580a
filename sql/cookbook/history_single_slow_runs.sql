-- Which single runs were slow although the runs before and after were not?
--
-- More than 10 % above the median of the run and its four neighbours: rather a disturbed machine
-- than a slower program. Repeat them before comparing with them.
WITH
  neighbours AS (
    SELECT
      c.app, run_id, c.started_at, wall_seconds,
      median(wall_seconds) OVER (
        PARTITION BY c.app, c.configuration ORDER BY c.started_at, run_id
        ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING
      ) AS usual_seconds
    FROM run_configurations AS c
    JOIN runs USING (run_id)
    WHERE wall_seconds > 0 AND c.started_at IS NOT NULL
  )
SELECT
  app, run_id, started_at,
  round(wall_seconds, 2) AS seconds,
  round(usual_seconds, 2) AS usual_seconds,
  round(100 * (wall_seconds / usual_seconds - 1), 1) AS percent_slower
FROM neighbours
WHERE wall_seconds > 1.1 * usual_seconds
ORDER BY percent_slower DESC;
