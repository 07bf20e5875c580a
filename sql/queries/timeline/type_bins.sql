-- What workers $first to $last of one run ran in [$t0, $t1), added up within $bins equal bins by type
-- of task: the $most types with most time, the others together. Times are s from $origin; low and
-- high are the place of a type within its worker's lane, whose height is the bin.
-- $clock0 and $clock1 are the window on the clocks of all workers, by which DuckDB skips most tasks.
WITH
  lane AS (
    FROM _worker_lanes WHERE run_id = $run_id AND lane BETWEEN $first AND $last
  ),

  -- Apart, so that the ids of tasks are not read where all have a name.
  named AS NOT MATERIALIZED (
    SELECT worker, name AS type, t_start, t_end
    FROM tasks
    WHERE run_id = $run_id AND t_end > $clock0 AND t_start < $clock1 AND name IS NOT NULL
    UNION ALL
    SELECT worker, task, t_start, t_end
    FROM tasks
    WHERE run_id = $run_id AND t_end > $clock0 AND t_start < $clock1 AND name IS NULL
  ),

  -- Not materialized: of millions of tasks most are within one bin, and only added up.
  piece AS NOT MATERIALIZED (
    SELECT
      l.lane, t.type, greatest(t.t_start - l.ahead, $t0) AS p, least(t.t_end - l.ahead, $t1) AS q,
      (p - $t0) // _bin_width($t0, $t1, $bins) AS bin,
      q - $t0 <= (bin + 1) * _bin_width($t0, $t1, $bins) AS is_in_bin
    FROM named AS t
    JOIN lane AS l ON t.worker = l.worker
    WHERE t.t_end - l.ahead > $t0 AND t.t_start - l.ahead < $t1 AND t.t_end > t.t_start
  ),

  cut AS (
    SELECT
      lane, type, p, q,
      unnest(range(bin, (q - 1 - $t0) // _bin_width($t0, $t1, $bins) + 1)) AS each_bin,
      $t0 + each_bin * _bin_width($t0, $t1, $bins) AS bin_begin
    FROM piece
    WHERE NOT is_in_bin
  ),

  parts AS (
    SELECT lane, bin, type, sum(q - p) AS ns
    FROM piece
    WHERE is_in_bin
    GROUP BY lane, bin, type
    UNION ALL
    SELECT
      lane, each_bin, type,
      least(q, bin_begin + _bin_width($t0, $t1, $bins)) - greatest(p, bin_begin)
    FROM cut
  ),

  largest AS (
    SELECT type
    FROM parts
    GROUP BY type
    ORDER BY sum(ns) DESC, type
    LIMIT $most
  ),

  sums AS (
    SELECT
      p.lane, p.bin, if(l.type IS NULL, '(other types)', l.type) AS type,
      CAST(sum(p.ns) AS DOUBLE) / _bin_width($t0, $t1, $bins) AS share
    FROM parts AS p
    LEFT JOIN largest AS l ON p.type = l.type
    GROUP BY p.lane, p.bin, l.type
  ),

  stacked AS (
    SELECT
      *, sum(share) OVER (PARTITION BY lane, bin ORDER BY type) AS high,
      greatest(1, sum(share) OVER (PARTITION BY lane, bin)) AS whole
    FROM sums
  )

SELECT
  l.lane, l.worker, l.node,
  ($t0 + s.bin * _bin_width($t0, $t1, $bins) - $origin) / 1e9 AS t_start,
  (least($t1, $t0 + (s.bin + 1) * _bin_width($t0, $t1, $bins)) - $origin) / 1e9 AS t_end,
  'busy' AS cause,
  s.type AS what, CAST(NULL AS VARCHAR) AS task, CAST((s.high - s.share) / s.whole AS DOUBLE) AS low,
  CAST(s.high / s.whole AS DOUBLE) AS high, true AS is_binned
FROM stacked AS s
JOIN lane AS l ON s.lane = l.lane
WHERE s.share > 0.001
ORDER BY l.lane, s.bin, low;
