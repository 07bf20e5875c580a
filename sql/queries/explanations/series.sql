-- The metric that a run is judged by in its history, of several the one in which it is farthest off,
-- those with a provisional change first: its value, and those of the others of its series, without
-- the runs $own that are explained together with it; and whether it is at the level of a provisional
-- change.
WITH
  wanted AS (
    FROM _main_metrics WHERE run_id = $run_id
  ),

  points AS (
    SELECT s.metric, s.unit, unnest(s.series, recursive := true)
    FROM metric_series AS s
    JOIN wanted AS a ON s.app = a.app AND _is_judged_by(a.metric, s.metric)
    WHERE list_contains(list_transform(s.series, lambda p: p.run_id), $run_id)
  ),

  provisional AS (
    SELECT c.metric
    FROM provisional_changes AS c
    JOIN wanted AS a ON c.app = a.app
    WHERE list_contains($own, c.run_id) OR c.started_at <= a.started_at
  ),

  figures AS (
    SELECT
      metric,
      any_value(unit) AS unit,
      count(*) FILTER (is_other) AS others,
      any_value("value") FILTER (run_id = $run_id) AS "value",
      min("value") FILTER (is_other) AS smallest,
      median("value") FILTER (is_other) AS middle,
      max("value") FILTER (is_other) AS largest
    FROM (SELECT *, NOT list_contains($own, run_id) AS is_other FROM points)
    GROUP BY metric
    HAVING others >= 4
  )

SELECT *, metric IN (FROM provisional) AS is_provisional
FROM figures
WHERE "value" IS NOT NULL
ORDER BY
  is_provisional DESC,
  CASE
    WHEN "value" = middle THEN 0
    WHEN smallest = largest THEN CAST('infinity' AS DOUBLE)
    ELSE abs("value" - middle) / (largest - smallest)
  END DESC,
  metric
LIMIT 1;
