-- Which waits of workers were the longest, and what was each of them for?
SELECT
  app, run_id, worker,
  round(t_start / 1e9, 3) AS from_second,
  round((t_end - t_start) / 1e6, 1) AS milliseconds,
  task AS before_task, blamed_task AS waited_for, blamed_worker AS on_worker,
  round(starvation / 1e6, 1) AS starvation_ms,
  round(latency / 1e6, 1) AS latency_ms,
  round(overhead / 1e6, 1) AS overhead_ms
FROM idle_attribution
JOIN runs USING (run_id)
WHERE mode = 'direct' AND latency_rule = 'union' AND kind <> 'tail'
ORDER BY t_end - t_start DESC
LIMIT 10;
