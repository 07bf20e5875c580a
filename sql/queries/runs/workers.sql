-- Workers of one run.
SELECT worker, node, tasks, wall_seconds, busy_seconds, idle_seconds, tail_seconds,
  busy_seconds / nullif(wall_seconds, 0) AS busy_share
FROM worker_summary
WHERE run_id = $run_id
ORDER BY worker;
