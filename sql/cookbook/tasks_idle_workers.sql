-- Which worker of each run idles most, and why?
--
-- Starvation: no task was ready. Latency: data were on the wire. Overhead: the runtime was in the
-- way. Tail: the worker had run its last task.
SELECT
  app, run_id, worker, node,
  round(100 - busy_percent, 1) AS idle_percent,
  round(starvation_percent, 1) AS starvation,
  round(latency_percent, 1) AS latency,
  round(overhead_percent, 1) AS overhead,
  round(tail_percent, 1) AS tail,
  advice
FROM slo_by_worker
JOIN runs USING (run_id)
WHERE mode = 'direct' AND latency_rule = 'union'
QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY busy_percent, worker) = 1
ORDER BY idle_percent DESC;
