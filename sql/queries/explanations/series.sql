-- The main metric in the history of a run: its value, and those of the others of its series, without
-- the runs $own that are explained together with it; and whether a provisional change begins there.
WITH
  wanted AS (
    FROM _main_metrics WHERE run_id = $run_id
  ),

  points AS (
    SELECT s.metric, s.unit, unnest(s.series, recursive := true)
    FROM metric_series AS s
    JOIN wanted AS a ON s.app = a.app AND s.metric = a.metric
    WHERE list_contains(list_transform(s.series, lambda p: p.run_id), $run_id)
  ),

  provisional AS (
    SELECT c.run_id
    FROM provisional_changes AS c
    JOIN wanted AS a ON c.app = a.app AND c.metric = a.metric
    WHERE list_contains($own, c.run_id)
  )

SELECT
  any_value(metric) AS metric,
  any_value(unit) AS unit,
  count(*) FILTER (is_other) AS others,
  any_value("value") FILTER (run_id = $run_id) AS "value",
  min("value") FILTER (is_other) AS smallest,
  median("value") FILTER (is_other) AS middle,
  max("value") FILTER (is_other) AS largest,
  EXISTS (FROM provisional) AS is_provisional
FROM (SELECT *, NOT list_contains($own, run_id) AS is_other FROM points)
HAVING others >= 4;
