-- What workers $first to $last of one run ran in [$t0, $t1), added up within $bins equal bins by type
-- of task: the $most types with most time, the others together. Times are s from $origin; low and
-- high are the place of a type within its worker's lane, whose height is the bin.
WITH
  lane AS (
    FROM _worker_lanes($run_id) WHERE lane BETWEEN $first AND $last
  ),

  piece AS (
    SELECT
      l.lane, coalesce(t.name, t.task) AS type, greatest(t.t_start - l.ahead, $t0) AS p,
      least(t.t_end - l.ahead, $t1) AS q
    FROM tasks AS t
    JOIN lane AS l ON t.worker = l.worker
    WHERE t.run_id = $run_id AND t.t_end - l.ahead > $t0 AND t.t_start - l.ahead < $t1
  ),

  largest AS (
    SELECT type
    FROM piece
    GROUP BY type
    ORDER BY sum(q - p) DESC, type
    LIMIT $most
  ),

  width AS (
    SELECT greatest(1, ($t1 - $t0 + $bins - 1) // $bins) AS ns
  ),

  cut AS (
    SELECT
      lane, if(type IN (FROM largest), type, '(other types)') AS type, p, q,
      unnest(range((p - $t0) // w.ns, (q - 1 - $t0) // w.ns + 1)) AS bin
    FROM piece
    CROSS JOIN width AS w
    WHERE q > p
  ),

  sums AS (
    SELECT
      lane, bin, type,
      sum(least(q, $t0 + (bin + 1) * w.ns) - greatest(p, $t0 + bin * w.ns)) / any_value(w.ns)
        AS share
    FROM cut
    CROSS JOIN width AS w
    GROUP BY lane, bin, type
  ),

  stacked AS (
    SELECT
      *, sum(share) OVER (PARTITION BY lane, bin ORDER BY type) AS high,
      greatest(1, sum(share) OVER (PARTITION BY lane, bin)) AS whole
    FROM sums
  )

SELECT
  l.lane, l.worker, l.node, ($t0 + s.bin * w.ns - $origin) / 1e9 AS t_start,
  (least($t1, $t0 + (s.bin + 1) * w.ns) - $origin) / 1e9 AS t_end, 'busy' AS cause,
  s.type AS what, CAST(NULL AS VARCHAR) AS task, CAST((s.high - s.share) / s.whole AS DOUBLE) AS low,
  CAST(s.high / s.whole AS DOUBLE) AS high, true AS is_binned
FROM stacked AS s
JOIN lane AS l ON s.lane = l.lane
CROSS JOIN width AS w
WHERE s.share > 0.001
ORDER BY l.lane, s.bin, low;
