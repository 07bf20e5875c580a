-- Scaling: what do more processes bring?
SELECT function,
  median(seconds) FILTER (parallelism = 1) AS on_1,
  median(seconds) FILTER (parallelism = 2) AS on_2,
  median(seconds) FILTER (parallelism = 4) AS on_4,
  round(on_1 / on_4, 3) AS speedup
FROM fn_timings
JOIN runs USING (run_id)
WHERE app = 'heat-processes'
GROUP BY function
ORDER BY on_4 DESC
