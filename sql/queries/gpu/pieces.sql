-- What devices, streams and launching threads of a run did in [$t0, $t1), times in s from $origin;
-- of more than $most pieces the shares of $bins bins, the causes of a lane above each other.
WITH
  pieces AS MATERIALIZED (
    SELECT *
    FROM _gpu_pieces
    WHERE run_id = $run_id AND t_end > $t0 AND t_start < $t1 AND lane < $lanes
  ),

  width AS (
    SELECT greatest(1, ($t1 - $t0 + $bins - 1) // $bins) AS ns,
      (SELECT count(*) FROM pieces) > $most AS is_binned
  ),

  cut AS (
    SELECT
      p.lane, p.cause, p.t_start, p.t_end, w.ns,
      unnest(range((greatest(p.t_start, $t0) - $t0) // w.ns,
        (least(p.t_end, $t1) - 1 - $t0) // w.ns + 1)) AS bin
    FROM pieces AS p
    JOIN width AS w ON w.is_binned
    WHERE p.cause <> 'launching call' AND p.t_end > p.t_start
  ),

  shares AS (
    SELECT
      lane, bin, cause, ns,
      sum(least(t_end, $t0 + (bin + 1) * ns) - greatest(t_start, $t0 + bin * ns)) / ns AS share
    FROM cut
    GROUP BY lane, bin, cause, ns
  ),

  stacked AS (
    SELECT
      *, least(1, sum(share) OVER below) AS high,
      least(1, sum(share) OVER below - share) AS low
    FROM shares
    -- the rest of a bin of several streams is busy
    WINDOW below AS (PARTITION BY lane, bin ORDER BY cause = 'busy', cause)
  )

FROM (
  SELECT
    lane, (t_start - $origin) / 1e9 AS t_start, (t_end - $origin) / 1e9 AS t_end, cause, what, task,
    late, CAST(0 AS DOUBLE) AS low, CAST(1 AS DOUBLE) AS high, false AS is_binned
  FROM pieces
  JOIN width AS w ON NOT w.is_binned
  UNION ALL
  SELECT
    lane, ($t0 + bin * ns - $origin) / 1e9, ($t0 + (bin + 1) * ns - $origin) / 1e9, cause, NULL, NULL,
    NULL, low, high, true
  FROM stacked
  WHERE high > low
)
ORDER BY lane, t_start, cause = 'launching call', low;
