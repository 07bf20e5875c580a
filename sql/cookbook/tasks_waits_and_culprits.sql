-- Which task types keep workers waiting, and on whom?
--
-- One row is who waits (the task that the worker could not start), what for (the task that made
-- its last input) and where that ran.
SELECT
  app, run_id,
  waiting.name AS waiting_for_data, blamed.name AS made_by,
  blamed_worker AS on_worker,
  count(*) AS waits,
  round(sum(starvation1) / 1e9, 3) AS seconds,
  round(100 * sum(starvation1) / sum(sum(starvation1)) OVER (PARTITION BY run_id), 1) AS percent
FROM idle_attribution AS i
JOIN runs USING (run_id)
JOIN tasks AS waiting USING (run_id, task)
JOIN tasks AS blamed ON i.run_id = blamed.run_id AND i.blamed_task = blamed.task
WHERE mode = 'direct' AND latency_rule = 'union'
GROUP BY app, run_id, waiting.name, blamed.name, blamed_worker
QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY sum(starvation1) DESC) <= 3
ORDER BY run_id, sum(starvation1) DESC;
