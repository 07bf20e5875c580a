-- Metrics of an application whose values are in several units, and therefore in no series.
SELECT
  metric, string_agg(DISTINCT unit, ', ' ORDER BY unit) AS units,
  arg_min(run_id, started_at) FILTER (unit = last_unit) AS run_id
FROM (
  SELECT *, last_value(unit IGNORE NULLS) OVER series AS last_unit
  FROM run_metrics
  WHERE app = $app
  WINDOW
    series AS (
      PARTITION BY metric ORDER BY started_at, run_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
)
GROUP BY metric
HAVING count(DISTINCT unit) > 1
ORDER BY metric;
