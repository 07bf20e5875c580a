-- The workers whose tasks the others of one run starve for in one reading, the longest waits first,
-- and how busy these are themselves; a row without a worker is what waits for none that is known.
SELECT
  b.blamed_worker AS worker, CAST(b.starvation AS DOUBLE) AS starvation, w.busy_percent
FROM idle_by_blamed_worker AS b
LEFT JOIN slo_by_worker AS w
  ON b.run_id = w.run_id AND b.mode = w.mode AND b.latency_rule = w.latency_rule
  AND b.blamed_worker = w.worker
WHERE b.run_id = $run_id AND b.mode = $mode AND b.latency_rule = $latency_rule
  AND b.starvation > 0
ORDER BY starvation DESC, worker;
