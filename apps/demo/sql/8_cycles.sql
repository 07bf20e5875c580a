-- Hardware counters (generated ones): what does a cycle bring?
SELECT version, max(tags['generated']) AS generated,
  round(max(per_cycle) FILTER (event = 'instructions'), 2) AS instructions_per_cycle,
  round(max(per_cycle) FILTER (event = 'L1-dcache-load-misses'), 4) AS l1_misses_per_cycle
FROM counter_summary
JOIN runs USING (run_id)
WHERE app = 'stencil'
GROUP BY version
ORDER BY version
