-- What workers $first to $last of one run did in [$t0, $t1), added up within $bins equal bins.
-- Times are s from $origin; low and high are the place of a cause within its worker's lane, whose
-- height is the bin. Within the two stretches of an idle interval (until the last input was made,
-- and from then on) a cause is taken as spread evenly.
WITH
  lane AS (
    FROM _worker_lanes WHERE run_id = $run_id AND lane BETWEEN $first AND $last
  ),

  -- Not materialized: of millions of intervals most are within one bin, and only added up.
  idle AS NOT MATERIALIZED (
    SELECT
      l.lane, i.t_start, i.t_end, i.kind = 'tail' AS is_tail, i.starvation1, i.starvation,
      i.latency, i.overhead - i.not_recorded AS overhead, i.lat_inherited,
      i.ov_rest - least(i.ov_rest, i.not_recorded) AS ov_rest, i.not_recorded,
      least(i.ov_rest, i.not_recorded) AS own_unknown,
      (i.t_start - $t0) // _bin_width($t0, $t1, $bins) AS bin,
      i.t_start >= $t0 AND i.t_end <= $t1
        AND i.t_end - $t0 <= (bin + 1) * _bin_width($t0, $t1, $bins) AS is_in_bin
    FROM _idle_reading($mode, $latency_rule) AS i
    JOIN lane AS l ON i.worker = l.worker
    WHERE i.run_id = $run_id AND i.t_end > $t0 AND i.t_start < $t1
  ),

  stretch (lane, p, q, starvation, latency, overhead, unknown, tail) AS (
    SELECT
      lane, t_start, t_start + starvation1, starvation, lat_inherited, overhead - ov_rest,
      not_recorded - own_unknown, 0
    FROM idle
    WHERE NOT is_in_bin AND NOT is_tail
    UNION ALL
    SELECT lane, t_start + starvation1, t_end, 0, latency - lat_inherited, ov_rest, own_unknown, 0
    FROM idle
    WHERE NOT is_in_bin AND NOT is_tail
    UNION ALL
    SELECT lane, t_start, t_end, 0, 0, 0, 0, t_end - t_start FROM idle WHERE NOT is_in_bin AND is_tail
  ),

  cut AS (
    SELECT
      s.*,
      unnest(
        range(
          (greatest(p, $t0) - $t0) // _bin_width($t0, $t1, $bins),
          (least(q, $t1) - 1 - $t0) // _bin_width($t0, $t1, $bins) + 1
        )
      ) AS bin,
      $t0 + bin * _bin_width($t0, $t1, $bins) AS bin_begin
    FROM stretch AS s
    WHERE q > p AND q > $t0 AND p < $t1
  ),

  waited AS (
    SELECT
      lane, bin, sum(starvation) AS starvation, sum(latency) AS latency, sum(overhead) AS overhead,
      sum(unknown) AS unknown, sum(tail) AS tail
    FROM (
      SELECT
        lane, bin,
        CAST(sum(starvation) FILTER (NOT is_tail) AS DOUBLE) AS starvation,
        CAST(sum(latency) FILTER (NOT is_tail) AS DOUBLE) AS latency,
        CAST(sum(overhead) FILTER (NOT is_tail) AS DOUBLE) AS overhead,
        CAST(sum(not_recorded) FILTER (NOT is_tail) AS DOUBLE) AS unknown,
        CAST(sum(t_end - t_start) FILTER (is_tail) AS DOUBLE) AS tail
      FROM idle
      WHERE is_in_bin
      GROUP BY lane, bin
      UNION ALL
      SELECT
        lane, bin, starvation * part, latency * part, overhead * part, unknown * part, tail * part
      FROM (
        SELECT
          *,
          (
            least(q, $t1, bin_begin + _bin_width($t0, $t1, $bins)) - greatest(p, $t0, bin_begin)
          ) / (q - p) AS part
        FROM cut
      )
    )
    GROUP BY lane, bin
  ),

  cell AS (
    SELECT
      l.lane, b.bin, greatest(l.t_begin, b.bin_begin) AS p, least(l.t_end, $t1, b.bin_end) AS q
    FROM lane AS l
    CROSS JOIN (
      SELECT
        bin, $t0 + bin * _bin_width($t0, $t1, $bins) AS bin_begin,
        bin_begin + _bin_width($t0, $t1, $bins) AS bin_end
      FROM range(CAST($bins AS BIGINT)) AS r (bin)
    ) AS b
    WHERE l.t_end > b.bin_begin AND l.t_begin < least($t1, b.bin_end)
  ),

  parts AS (
    SELECT
      c.lane, c.p, c.q,
      coalesce(w.starvation, 0) / (c.q - c.p) AS starvation,
      coalesce(w.latency, 0) / (c.q - c.p) AS latency,
      coalesce(w.overhead, 0) / (c.q - c.p) AS overhead,
      coalesce(w.unknown, 0) / (c.q - c.p) AS unknown,
      coalesce(w.tail, 0) / (c.q - c.p) AS tail
    FROM cell AS c
    LEFT JOIN waited AS w ON c.lane = w.lane AND c.bin = w.bin
    WHERE c.q > c.p
  ),

  stacked (lane, p, q, cause, low, high) AS (
    SELECT lane, p, q, 'starvation', 0, starvation FROM parts
    UNION ALL
    SELECT lane, p, q, 'latency', starvation, starvation + latency FROM parts
    UNION ALL
    SELECT lane, p, q, 'overhead', starvation + latency, starvation + latency + overhead FROM parts
    UNION ALL
    SELECT
      lane, p, q, 'not recorded', starvation + latency + overhead,
      starvation + latency + overhead + unknown
    FROM parts
    UNION ALL
    SELECT
      lane, p, q, 'after last task', starvation + latency + overhead + unknown,
      starvation + latency + overhead + unknown + tail
    FROM parts
    UNION ALL
    SELECT lane, p, q, 'busy', starvation + latency + overhead + unknown + tail, 1 FROM parts
  )

SELECT
  l.lane, l.worker, l.node, (s.p - $origin) / 1e9 AS t_start, (s.q - $origin) / 1e9 AS t_end,
  s.cause, CAST(NULL AS VARCHAR) AS what, CAST(NULL AS VARCHAR) AS task, CAST(s.low AS DOUBLE) AS low,
  CAST(least(s.high, 1) AS DOUBLE) AS high, true AS is_binned
FROM stacked AS s
JOIN lane AS l ON s.lane = l.lane
WHERE s.high - s.low > 0.001
ORDER BY l.lane, s.p, s.low;
