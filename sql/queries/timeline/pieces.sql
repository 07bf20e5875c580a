-- What workers $first to $last of one run did in [$t0, $t1), piece by piece: tasks, and idle time
-- by its cause. Times are s from $origin; low and high are the piece's place in its worker's lane.
-- $clock0 and $clock1 are the window on the clocks of all workers, by which DuckDB skips most tasks.
WITH
  lane AS (
    FROM _worker_lanes WHERE run_id = $run_id AND lane BETWEEN $first AND $last
  ),

  tail AS (
    SELECT worker, t_start FROM idle_intervals WHERE run_id = $run_id AND kind = 'tail'
  ),

  piece (worker, p, q, cause, what, task) AS (
    SELECT
      i.worker, i.t_start, i.t_end,
      CASE
        WHEN i.t_start >= tail.t_start THEN 'after last task'
        WHEN i.class = 'S' THEN 'starvation'
        WHEN i.class IN ('L', 'X') THEN 'latency'
        WHEN i.class = 'R' AND w.is_recorded = false AND i.t_end > coalesce(w.t_submit, i.t_start)
          THEN 'not recorded'
        ELSE 'overhead'
      END,
      NULL, NULL
    FROM idle_timeline($run_id, $t0, $t1) AS i
    LEFT JOIN tail ON i.worker = tail.worker
    ASOF LEFT JOIN (FROM idle_intervals WHERE run_id = $run_id) AS w
      ON i.worker = w.worker AND i.t_start >= w.t_start
    WHERE i.mode = $mode AND i.latency_rule = $latency_rule
    UNION ALL
    SELECT
      t.worker, t.t_start - lane.ahead, t.t_end - lane.ahead, 'busy', coalesce(t.name, t.task),
      t.task
    FROM tasks AS t
    JOIN lane ON t.worker = lane.worker
    WHERE t.run_id = $run_id AND t.t_end > $clock0 AND t.t_start < $clock1
  )

SELECT
  l.lane, l.worker, l.node,
  (greatest(p.p, $t0) - $origin) / 1e9 AS t_start,
  (least(p.q, $t1) - $origin) / 1e9 AS t_end,
  p.cause, p.what, p.task, CAST(0 AS DOUBLE) AS low, CAST(1 AS DOUBLE) AS high, false AS is_binned
FROM piece AS p
JOIN lane AS l ON p.worker = l.worker
WHERE p.q > $t0 AND p.p < $t1 AND p.q > p.p
ORDER BY l.lane, p.p;
