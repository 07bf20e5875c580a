-- The main metric in the history of a run: its value, and those of the others of its series.
WITH
  wanted AS (
    SELECT
      app, machine, started_at,
      coalesce(
        tags['main_metric'], if(wall_seconds IS NULL, 'functions:seconds', 'wall_seconds')
      ) AS metric
    FROM runs
    WHERE run_id = $run_id
  ),

  points AS (
    SELECT s.metric, s.unit, unnest(s.series, recursive := true)
    FROM metric_series AS s
    JOIN wanted AS a ON s.app = a.app AND s.metric = a.metric
    WHERE list_contains(list_transform(s.series, lambda p: p.run_id), $run_id)
  )

SELECT
  any_value(metric) AS metric,
  any_value(unit) AS unit,
  count(*) FILTER (run_id <> $run_id) AS others,
  any_value("value") FILTER (run_id = $run_id) AS "value",
  min("value") FILTER (run_id <> $run_id) AS smallest,
  median("value") FILTER (run_id <> $run_id) AS middle,
  max("value") FILTER (run_id <> $run_id) AS largest
FROM points
HAVING count(*) >= 5;
