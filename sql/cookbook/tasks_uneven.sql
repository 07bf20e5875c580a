-- Which task types take unequal times, and which task was the slowest?
--
-- Uneven tasks are hard to balance. The same worker in many rows points to that machine, several
-- workers to the input of the tasks.
SELECT
  app, run_id, name AS task_type,
  count(*) AS tasks,
  round(median(t_end - t_start) / 1e6, 2) AS median_ms,
  round(max(t_end - t_start) / 1e6, 2) AS slowest_ms,
  arg_max(task, t_end - t_start) AS slowest_task,
  arg_max(worker, t_end - t_start) AS on_worker,
  round(max(t_end - t_start) / median(t_end - t_start), 2) AS slowest_over_median
FROM tasks
JOIN runs USING (run_id)
WHERE t_end > t_start
GROUP BY app, run_id, name
HAVING count(*) >= 5
ORDER BY slowest_over_median DESC
LIMIT 10;
