-- Metrics of an application whose values in runs of one series are in several units, and therefore in
-- no series, and the first run in the newest.
WITH
  differing AS (
    SELECT metric
    FROM run_metrics
    WHERE app = $app
    GROUP BY metric
    HAVING min(unit) <> max(unit)
  ),

  known AS (
    SELECT m.*, s.fields, last_value(m.unit IGNORE NULLS) OVER series AS last_unit
    FROM run_metrics AS m
    JOIN _series_of_runs AS s USING (run_id)
    WHERE m.app = $app AND m.metric IN (SELECT metric FROM differing)
    WINDOW
      series AS (
        PARTITION BY s.fields, m.metric ORDER BY m.started_at, m.run_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      )
  ),

  in_several AS (
    SELECT
      metric, string_agg(DISTINCT unit, ', ' ORDER BY unit) AS units,
      arg_min(run_id, started_at) FILTER (unit = last_unit) AS run_id, max(started_at) AS last_at
    FROM known
    GROUP BY metric, fields
    HAVING count(DISTINCT unit) > 1
  )

SELECT metric, arg_max(units, last_at) AS units, arg_max(run_id, last_at) AS run_id
FROM in_several
GROUP BY metric
ORDER BY metric;
