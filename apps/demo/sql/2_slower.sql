-- Counters: since which version is the program slower?
SELECT version, value AS cpu_ms,
  round(value / lag(value) OVER (ORDER BY version), 2) AS times_the_one_before
FROM run_metrics
WHERE app = 'heat' AND metric = 'counter:task-clock'
ORDER BY version
