-- Hardware counters (generated ones) of stencil: what does a cycle bring, before and after?
SELECT version, max(tags['generated']) AS generated,
  round(max(per_cycle) FILTER (event = 'instructions'), 2) AS instructions_per_cycle,
  round(max(per_cycle) FILTER (event = 'mem_reads'), 5) AS memory_reads_per_cycle
FROM counter_summary
JOIN runs USING (run_id)
WHERE app = 'stencil' AND started_at BETWEEN '2026-10-31' AND '2026-11-05'
GROUP BY version, started_at
ORDER BY started_at
