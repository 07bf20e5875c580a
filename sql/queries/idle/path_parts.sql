-- The critical path of one run, on $worker and within [$t0, $t1) where those are not NULL: its time by type
-- of task and cause, the $most types first. A part that the window cuts counts by the share of its stretch
-- that lies within.
WITH
  cut AS (
    SELECT
      coalesce(name, '(unknown)') AS what, cause,
      CAST(ns AS DOUBLE) * (least(t_end, $t1) - greatest(t_start, $t0)) / (t_end - t_start) AS ns
    FROM critical_paths
    WHERE run_id = $run_id AND coalesce(t_end > $t0 AND t_start < $t1, true)
      AND ($worker IS NULL OR worker = $worker)
  ),

  parts AS (
    SELECT what, cause, count(*) AS parts, sum(ns) AS ns FROM cut GROUP BY what, cause
  ),

  typed AS (
    SELECT *, sum(ns) OVER (PARTITION BY what) AS of_type, sum(ns) OVER (PARTITION BY 1) AS whole FROM parts
  )

SELECT what, cause, parts, ns / 1e9 AS seconds, 100 * ns / nullif(whole, 0) AS percent
FROM typed
QUALIFY dense_rank() OVER (ORDER BY of_type DESC, what) <= $most
ORDER BY of_type DESC, what, seconds DESC;
