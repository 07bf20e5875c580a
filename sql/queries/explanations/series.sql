-- The metric that a run is judged by in its history, of several the one in which it is farthest off,
-- those with a provisional change first, then those that drift: its value, and those of the others of
-- its series, without the runs $own that are explained together with it; and where it is at the level
-- of a provisional change, the first run of that and its size; and the drift over all runs.
WITH
  wanted AS (
    FROM _main_metrics WHERE run_id = $run_id
  ),

  points AS (
    SELECT s.metric, s.fields, s.unit, unnest(s.series, recursive := true)
    FROM metric_series AS s
    JOIN wanted AS a ON s.app = a.app AND _is_judged_by(a.metric, s.metric)
    WHERE list_contains(list_transform(s.series, lambda p: p.run_id), $run_id)
  ),

  provisional AS (
    SELECT c.metric, c.fields, max_by(c.run_id, c."index") AS since, max_by(c.change, c."index") AS change
    FROM provisional_changes AS c
    JOIN wanted AS a ON c.app = a.app
    WHERE list_contains($own, c.run_id) OR c.started_at <= a.started_at
    GROUP BY c.metric, c.fields
  ),

  figures AS (
    SELECT
      metric, fields,
      any_value(unit) AS unit,
      count(*) FILTER (is_other) AS others,
      any_value("value") FILTER (run_id = $run_id) AS "value",
      min("value") FILTER (is_other) AS smallest,
      median("value") FILTER (is_other) AS middle,
      max("value") FILTER (is_other) AS largest
    FROM (SELECT *, NOT list_contains($own, run_id) AS is_other FROM points)
    GROUP BY metric, fields
    HAVING others >= 4
  )

SELECT f.*, p.since, p.change, s.drift, s.points
FROM figures AS f
LEFT JOIN provisional AS p ON f.metric = p.metric AND f.fields = p.fields
LEFT JOIN series_states AS s
  ON s.app = (SELECT app FROM wanted) AND f.metric = s.metric AND f.fields = s.fields
WHERE "value" IS NOT NULL
ORDER BY
  since IS NULL, drift IS NULL,
  CASE
    WHEN "value" = middle THEN 0
    WHEN smallest = largest THEN CAST('infinity' AS DOUBLE)
    ELSE abs("value" - middle) / (largest - smallest)
  END DESC,
  f.metric
LIMIT 1;
