-- What was counted in a function by itself, in runs and in those that they are compared with: sums over
-- the samples of a run, means of rates, then the mean over the runs of a side. What differs most comes
-- first, else the largest.
WITH
  side AS (
    SELECT unnest(CAST($against AS VARCHAR[])) AS run_id, false AS is_after
    UNION ALL
    SELECT unnest(CAST($runs AS VARCHAR[])), true
  ),

  counted AS (
    SELECT
      s.is_after, s.run_id, p.event, any_value(p.unit) AS unit,
      if(_is_rate(p.event, any_value(p.unit)), avg(p.value), sum(p.value)) AS value
    FROM pmu_samples AS p
    JOIN side AS s ON p.run_id = s.run_id
    WHERE _path_parts(p.region)[-1] = $function AND isfinite(p.value)
    GROUP BY s.is_after, s.run_id, p.event
  ),

  sides AS (
    SELECT
      event, any_value(unit) AS unit, avg(value) FILTER (NOT is_after) AS before,
      avg(value) FILTER (is_after) AS "after"
    FROM counted
    GROUP BY event
  )

SELECT event, unit, before, "after", "after" / nullif(before, 0) AS ratio
FROM sides
ORDER BY
  if("after" > 0 AND before > 0, abs(ln("after" / before)), NULL) DESC NULLS LAST,
  "after" DESC NULLS LAST, event;
