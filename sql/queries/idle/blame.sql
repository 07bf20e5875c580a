-- What the workers of one run, or $worker, waited for in one reading, within [$t0, $t1) where that is not
-- NULL: types of tasks and workers, one row each and cause, the $most with the longest waits; all where that
-- is NULL. A worker is for a window.
WITH
  wait AS (
    SELECT blamed_type, blamed_worker, starvation, latency, overhead, starvation1, intervals
    FROM _blame_sums
    WHERE run_id = $run_id AND mode = $mode AND latency_rule = $latency_rule AND $t0 IS NULL
    UNION ALL
    SELECT
      t.name, i.blamed_worker, i.starvation, i.lat_inherited, i.ov_concrete + i.ov_uniform, i.starvation1, 1
    FROM idle_window($run_id, $t0, $t1) AS i
    LEFT JOIN tasks AS t ON i.run_id = t.run_id AND i.blamed_task = t.task
    WHERE $t0 IS NOT NULL AND i.mode = $mode AND i.latency_rule = $latency_rule AND i.kind <> 'tail'
      AND i.starvation1 > 0 AND ($worker IS NULL OR i.worker = $worker)
  ),

  sums AS (
    SELECT
      CASE WHEN grouping(blamed_type) = 0 THEN 'type' ELSE 'worker' END AS waits_by,
      CASE WHEN grouping(blamed_type) = 0 THEN blamed_type ELSE blamed_worker END AS what,
      sum(starvation) AS starvation, sum(latency) AS latency, sum(overhead) AS overhead,
      sum(starvation1) AS starvation1, CAST(sum(intervals) AS BIGINT) AS intervals
    FROM wait
    GROUP BY GROUPING SETS (blamed_type, blamed_worker)
  ),

  ranked AS (
    SELECT
      *,
      row_number() OVER (PARTITION BY waits_by ORDER BY starvation1 DESC, what) AS position,
      sum(starvation1) OVER (PARTITION BY waits_by) AS waits
    FROM sums
  ),

  tall AS (
    UNPIVOT ranked
    ON starvation, latency, overhead
    INTO NAME cause VALUE ns
  )

SELECT
  waits_by, coalesce(what, '(unknown)') AS what, what IS NOT NULL AS is_known, position, cause,
  CAST(ns AS DOUBLE) / 1e9 AS seconds, 100 * CAST(ns AS DOUBLE) / nullif(waits, 0) AS percent,
  intervals
FROM tall
WHERE coalesce(position <= $most, true) AND ns > 0
ORDER BY waits_by, position, cause;
