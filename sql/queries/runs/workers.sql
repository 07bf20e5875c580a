-- Workers of one run, of the same sums as its shares (slo_by_run).
SELECT
  s.worker, s.node, coalesce(c.tasks, 0) AS tasks, s.wall / 1e9 AS wall_seconds,
  s.busy / 1e9 AS busy_seconds, (s.wall - s.busy - s.tail) / 1e9 AS idle_seconds,
  s.tail / 1e9 AS tail_seconds, s.busy / nullif(s.wall, 0) AS busy_share
FROM _worker_sums AS s
LEFT JOIN (
  SELECT worker, count(*) AS tasks FROM tasks WHERE run_id = $run_id GROUP BY worker
) AS c ON s.worker = c.worker
WHERE s.run_id = $run_id AND s.mode = 'direct' AND s.latency_rule = 'union'
ORDER BY s.worker;
