-- How much does the wall time of each program vary from run to run without a change?
--
-- Half of the steps from one run to the next are smaller than the usual step. A limit far below
-- it raises false alarms.
WITH
  steps AS (
    SELECT
      c.app, c.configuration,
      abs(ln(wall_seconds / lag(wall_seconds) OVER earlier)) AS step
    FROM run_configurations AS c
    JOIN runs USING (run_id)
    WHERE wall_seconds > 0 AND c.started_at IS NOT NULL
    WINDOW earlier AS (PARTITION BY c.app, c.configuration ORDER BY c.started_at, run_id)
  )
SELECT
  app,
  count(step) + 1 AS runs,
  round(100 * (exp(median(step)) - 1), 1) AS usual_step_percent,
  round(100 * (exp(max(step)) - 1), 1) AS largest_step_percent
FROM steps
GROUP BY app, configuration
HAVING count(step) >= 3
ORDER BY usual_step_percent DESC;
