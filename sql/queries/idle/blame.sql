-- What the workers of one run waited for in one reading: types of tasks and workers, one row each
-- and cause, the $most with the longest waits; all where that is NULL.
WITH
  sums AS (
    SELECT
      'type' AS waits_by, blamed_type AS what, starvation, latency, overhead, starvation1, intervals
    FROM idle_by_blamed
    WHERE run_id = $run_id AND mode = $mode AND latency_rule = $latency_rule
    UNION ALL
    SELECT
      'worker', blamed_worker, starvation, latency, overhead, starvation1, intervals
    FROM idle_by_blamed_worker
    WHERE run_id = $run_id AND mode = $mode AND latency_rule = $latency_rule
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
