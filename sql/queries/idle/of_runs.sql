-- Where the workers' time went in runs before and after, summed over the runs of each side: one row
-- a side and cause, in the reading direct with union latency.
WITH
  side AS (
    SELECT unnest(CAST($before AS VARCHAR[])) AS run_id, false AS is_after
    UNION ALL
    SELECT unnest(CAST($after AS VARCHAR[])), true
  ),

  sums AS (
    SELECT
      side.is_after, count(*) AS runs, sum(s.wall) AS wall, sum(s.busy) AS busy,
      sum(s.starvation) AS starvation, sum(s.latency) AS latency, sum(s.overhead - s.not_recorded) AS overhead,
      sum(s.not_recorded) AS "not recorded",
      sum(s.tail) AS "after last task"
    FROM slo_by_run AS s
    JOIN side ON s.run_id = side.run_id
    WHERE s.mode = 'direct' AND s.latency_rule = 'union' AND s.wall > 0
    GROUP BY side.is_after
  ),

  tall AS (
    UNPIVOT sums
    ON busy, starvation, latency, overhead, "not recorded", "after last task"
    INTO NAME cause VALUE ns
  )

SELECT
  is_after, runs, cause, CAST(ns AS DOUBLE) / 1e9 / runs AS seconds,
  100 * CAST(ns AS DOUBLE) / CAST(wall AS DOUBLE) AS percent
FROM tall
WHERE ns > 0 OR cause <> 'not recorded'
ORDER BY is_after, list_position(['busy', 'starvation', 'latency', 'overhead', 'not recorded'], cause);
