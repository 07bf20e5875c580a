-- At which clock rate did each function run, seen from its counters and its times together?
--
-- Cycles of one process over seconds of the same function. A rate that falls from one version to
-- the next is the clock (power, heat, wide vectors) and not the code.
WITH
  cycles AS (
    SELECT run_id, region AS function, sum(value) / count(DISTINCT rank) AS cycles
    FROM pmu_samples
    WHERE event = 'cycles'
    GROUP BY run_id, region
    HAVING count(DISTINCT rank) > 0
  )
SELECT
  app, function,
  count(*) AS runs,
  round(min(cycles / seconds) / 1e9, 2) AS slowest_ghz,
  round(median(cycles / seconds) / 1e9, 2) AS median_ghz,
  round(max(cycles / seconds) / 1e9, 2) AS fastest_ghz
FROM cycles
JOIN function_shares USING (run_id, function)
JOIN runs USING (run_id)
GROUP BY app, function
ORDER BY app, function;
