-- Does a program wait more when it takes longer?
--
-- Task traces next to wall times of the same runs. A correlation near 1 says that the waiting and
-- the time grow together; of three runs or fewer it says little.
SELECT
  app,
  count(*) AS runs,
  round(min(wall_seconds), 2) AS fastest_seconds,
  round(max(wall_seconds), 2) AS slowest_seconds,
  round(arg_min(starvation_percent, wall_seconds), 1) AS starvation_percent_of_fastest,
  round(arg_max(starvation_percent, wall_seconds), 1) AS starvation_percent_of_slowest,
  round(corr(starvation_percent, wall_seconds), 2) AS correlation
FROM slo_by_run
JOIN runs USING (run_id)
WHERE mode = 'direct' AND latency_rule = 'union' AND wall_seconds IS NOT NULL
GROUP BY app
HAVING count(*) > 1
ORDER BY correlation DESC;
