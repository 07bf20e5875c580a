-- What workers $first to $last of one run did in [$t0, $t1): tasks, and idle intervals by cause. In
-- the two stretches of an interval (until the last input was made, and from then on) the causes are
-- above each other, by their shares: for runs of which the exact pieces take long to find. Times are
-- s from $origin; low and high are the place in the worker's lane.
-- $clock0 and $clock1 are the window on the clocks of all workers, by which DuckDB skips most tasks.
WITH
  lane AS (
    FROM _worker_lanes WHERE run_id = $run_id AND lane BETWEEN $first AND $last
  ),

  stretch (lane, p, q, starvation, latency, overhead, unknown, tail) AS (
    SELECT
      l.lane, i.t_start, i.t_start + i.starvation1, i.starvation, i.lat_inherited,
      i.ov_concrete + i.ov_uniform, 0, 0
    FROM idle_attribution AS i
    JOIN lane AS l ON i.worker = l.worker
    WHERE i.run_id = $run_id AND i.mode = $mode AND i.latency_rule = $latency_rule
      AND i.kind <> 'tail' AND i.t_end > $t0 AND i.t_start < $t1
    UNION ALL
    SELECT
      l.lane, i.t_start + i.starvation1, i.t_end, 0, i.latency - i.lat_inherited,
      i.ov_rest - least(i.ov_rest, i.not_recorded), least(i.ov_rest, i.not_recorded), 0
    FROM idle_attribution AS i
    JOIN lane AS l ON i.worker = l.worker
    WHERE i.run_id = $run_id AND i.mode = $mode AND i.latency_rule = $latency_rule
      AND i.kind <> 'tail' AND i.t_end > $t0 AND i.t_start < $t1
    UNION ALL
    SELECT l.lane, i.t_start, i.t_end, 0, 0, 0, 0, 1
    FROM idle_intervals AS i
    JOIN lane AS l ON i.worker = l.worker
    WHERE i.run_id = $run_id AND i.kind = 'tail' AND i.t_end > $t0 AND i.t_start < $t1
  ),

  share AS (
    SELECT
      lane, p, q, starvation / whole AS s, latency / whole AS l, overhead / whole AS o,
      unknown / whole AS u, tail / whole AS a
    FROM (SELECT *, starvation + latency + overhead + unknown + tail AS whole FROM stretch)
    WHERE whole > 0
  ),

  piece (lane, p, q, cause, what, task, low, high) AS (
    SELECT lane, p, q, 'starvation', NULL, NULL, 0, s FROM share
    UNION ALL
    SELECT lane, p, q, 'latency', NULL, NULL, s, s + l FROM share
    UNION ALL
    SELECT lane, p, q, 'overhead', NULL, NULL, s + l, s + l + o FROM share
    UNION ALL
    SELECT lane, p, q, 'not recorded', NULL, NULL, s + l + o, s + l + o + u FROM share
    UNION ALL
    SELECT lane, p, q, 'after last task', NULL, NULL, s + l + o + u, 1 FROM share WHERE a > 0
    UNION ALL
    SELECT
      l.lane, t.t_start - l.ahead, t.t_end - l.ahead, 'busy', coalesce(t.name, t.task), t.task, 0, 1
    FROM tasks AS t
    JOIN lane AS l ON t.worker = l.worker
    WHERE t.run_id = $run_id AND t.t_end > $clock0 AND t.t_start < $clock1
  )

SELECT
  l.lane, l.worker, l.node, (greatest(p.p, $t0) - $origin) / 1e9 AS t_start,
  (least(p.q, $t1) - $origin) / 1e9 AS t_end, p.cause, p.what, p.task,
  CAST(p.low AS DOUBLE) AS low, CAST(least(p.high, 1) AS DOUBLE) AS high, false AS is_binned
FROM piece AS p
JOIN lane AS l ON p.lane = l.lane
WHERE p.q > $t0 AND p.p < $t1 AND p.q > p.p AND p.high - p.low > 0.001
ORDER BY l.lane, p.p, p.low;
