-- Tasks: what do the workers wait for?
WITH waits AS (
  SELECT w.worker, w.t_start, w.t_end,
    max_by(p.name, p.t_end) AS last_input, greatest(max(p.t_end), w.t_start) AS made
  FROM worker_idle AS w
  JOIN runs USING (run_id)
  JOIN task_inputs AS i ON w.run_id = i.run_id AND w.task = i.task
  JOIN task_data AS d ON i.run_id = d.run_id AND i.data = d.data
  JOIN tasks AS p ON d.run_id = p.run_id AND d.producer = p.task
  WHERE app = 'heat-tasks' AND w.kind = 'inner'
  GROUP BY w.run_id, w.worker, w.t_start, w.t_end
)
SELECT last_input, count(*) AS waits,
  round(sum(made - t_start) / 1e9, 3) AS seconds_until_made,
  round(sum(t_end - made) / 1e9, 3) AS seconds_from_then_on
FROM waits
GROUP BY last_input
ORDER BY sum(t_end - t_start) DESC
