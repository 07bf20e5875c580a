-- What workers $first to $last of one run did in [$t0, $t1), added up within $bins equal bins.
-- Times are s from $origin; low and high are the place of a cause within its worker's lane, whose
-- height is the bin. Within the two stretches of an idle interval (until the last input was made,
-- and from then on) a cause is taken as spread evenly.
WITH
  lane AS (
    FROM _worker_lanes($run_id) WHERE lane BETWEEN $first AND $last
  ),

  idle AS (
    SELECT i.*, l.lane
    FROM idle_attribution AS i
    JOIN lane AS l ON i.worker = l.worker
    WHERE i.run_id = $run_id AND i.mode = $mode AND i.latency_rule = $latency_rule
      AND i.t_end > $t0 AND i.t_start < $t1
  ),

  -- a worker's window is all its tasks and idle intervals, of the whole run
  known AS (
    SELECT l.lane, min(e.p - e.clocked * l.ahead) AS p, max(e.q - e.clocked * l.ahead) AS q
    FROM (
      SELECT worker, 0 AS clocked, min(t_start) AS p, max(t_end) AS q
      FROM idle_intervals
      WHERE run_id = $run_id
      GROUP BY worker
      UNION ALL
      SELECT worker, 1, min(t_start), max(t_end) FROM tasks WHERE run_id = $run_id GROUP BY worker
    ) AS e
    JOIN lane AS l ON e.worker = l.worker
    GROUP BY l.lane
  ),

  stretch (lane, p, q, starvation, latency, overhead, tail) AS (
    SELECT
      lane, t_start, t_start + starvation1, starvation, lat_inherited, ov_concrete + ov_uniform, 0
    FROM idle
    WHERE kind <> 'tail'
    UNION ALL
    SELECT lane, t_start + starvation1, t_end, 0, latency - lat_inherited, ov_rest, 0
    FROM idle
    WHERE kind <> 'tail'
    UNION ALL
    SELECT lane, t_start, t_end, 0, 0, 0, t_end - t_start FROM idle WHERE kind = 'tail'
  ),

  width AS (
    SELECT greatest(1, ($t1 - $t0 + $bins - 1) // $bins) AS ns
  ),

  cut AS (
    SELECT
      s.*,
      unnest(
        range((greatest(p, $t0) - $t0) // w.ns, (least(q, $t1) - 1 - $t0) // w.ns + 1)
      ) AS bin
    FROM stretch AS s
    CROSS JOIN width AS w
    WHERE q > p AND q > $t0 AND p < $t1
  ),

  waited AS (
    SELECT
      lane, bin, sum(starvation * part) AS starvation, sum(latency * part) AS latency,
      sum(overhead * part) AS overhead, sum(tail * part) AS tail
    FROM (
      SELECT
        c.*,
        (least(q, $t1, $t0 + (bin + 1) * w.ns) - greatest(p, $t0, $t0 + bin * w.ns)) / (q - p)
          AS part
      FROM cut AS c
      CROSS JOIN width AS w
    )
    GROUP BY lane, bin
  ),

  cell AS (
    SELECT
      k.lane, b.bin, greatest(k.p, $t0 + b.bin * w.ns) AS p,
      least(k.q, $t1, $t0 + (b.bin + 1) * w.ns) AS q
    FROM known AS k
    CROSS JOIN width AS w
    CROSS JOIN range(CAST($bins AS BIGINT)) AS b (bin)
    WHERE k.q > $t0 + b.bin * w.ns AND k.p < least($t1, $t0 + (b.bin + 1) * w.ns)
  ),

  parts AS (
    SELECT
      c.lane, c.p, c.q,
      coalesce(w.starvation, 0) / (c.q - c.p) AS starvation,
      coalesce(w.latency, 0) / (c.q - c.p) AS latency,
      coalesce(w.overhead, 0) / (c.q - c.p) AS overhead,
      coalesce(w.tail, 0) / (c.q - c.p) AS tail
    FROM cell AS c
    LEFT JOIN waited AS w ON c.lane = w.lane AND c.bin = w.bin
  ),

  stacked (lane, p, q, cause, low, high) AS (
    SELECT lane, p, q, 'starvation', 0, starvation FROM parts
    UNION ALL
    SELECT lane, p, q, 'latency', starvation, starvation + latency FROM parts
    UNION ALL
    SELECT lane, p, q, 'overhead', starvation + latency, starvation + latency + overhead FROM parts
    UNION ALL
    SELECT
      lane, p, q, 'after last task', starvation + latency + overhead,
      starvation + latency + overhead + tail
    FROM parts
    UNION ALL
    SELECT lane, p, q, 'busy', starvation + latency + overhead + tail, 1 FROM parts
  )

SELECT
  l.lane, l.worker, l.node, (s.p - $origin) / 1e9 AS t_start, (s.q - $origin) / 1e9 AS t_end,
  s.cause, CAST(NULL AS VARCHAR) AS what, CAST(NULL AS VARCHAR) AS task, CAST(s.low AS DOUBLE) AS low,
  CAST(least(s.high, 1) AS DOUBLE) AS high, true AS is_binned
FROM stacked AS s
JOIN lane AS l ON s.lane = l.lane
WHERE s.high - s.low > 0.001
ORDER BY l.lane, s.p, s.low;
