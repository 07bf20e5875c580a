-- What workers $first to $last of one run did in [$t0, $t1), piece by piece: tasks, and idle time
-- by its cause. Times are s from $origin; low and high are the piece's place in its worker's lane.
WITH
  lane AS (
    SELECT
      worker, any_value(node) AS node,
      row_number() OVER (
        ORDER BY
          any_value(node),
          list_transform(regexp_extract_all(worker, '\d+'), lambda d: TRY_CAST(d AS HUGEINT)),
          worker
      ) AS lane
    FROM (
      SELECT worker, node FROM workers WHERE run_id = $run_id
      UNION
      SELECT worker, NULL FROM tasks WHERE run_id = $run_id
    )
    GROUP BY worker
    QUALIFY lane BETWEEN $first AND $last
  ),

  clock AS (
    SELECT node, max(clock_offset_ns) AS ahead
    FROM nodes
    WHERE run_id = $run_id
    GROUP BY node
  ),

  tail AS (
    SELECT worker, t_start FROM idle_intervals WHERE run_id = $run_id AND kind = 'tail'
  ),

  piece (worker, p, q, cause, what) AS (
    SELECT
      i.worker, i.t_start, i.t_end,
      CASE
        WHEN i.t_start >= tail.t_start THEN 'after last task'
        WHEN i.class = 'S' THEN 'starvation'
        WHEN i.class IN ('L', 'X') THEN 'latency'
        ELSE 'overhead'
      END,
      NULL
    FROM idle_timeline($run_id, $t0, $t1) AS i
    LEFT JOIN tail ON i.worker = tail.worker
    WHERE i.mode = $mode AND i.latency_rule = $latency_rule
    UNION ALL
    SELECT
      t.worker, t.t_start - coalesce(c.ahead, 0), t.t_end - coalesce(c.ahead, 0), 'busy',
      coalesce(t.name, t.task)
    FROM tasks AS t
    LEFT JOIN lane ON t.worker = lane.worker
    LEFT JOIN clock AS c ON lane.node = c.node
    WHERE t.run_id = $run_id
  )

SELECT
  l.lane, l.worker, l.node,
  (greatest(p.p, $t0) - $origin) / 1e9 AS t_start,
  (least(p.q, $t1) - $origin) / 1e9 AS t_end,
  p.cause, p.what, CAST(0 AS DOUBLE) AS low, CAST(1 AS DOUBLE) AS high, false AS is_binned
FROM piece AS p
JOIN lane AS l ON p.worker = l.worker
WHERE p.q > $t0 AND p.p < $t1 AND p.q > p.p
ORDER BY l.lane, p.p;
