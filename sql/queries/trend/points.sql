-- Series of one application, a row a run, with what changed there.
WITH
  points AS (
    SELECT
      app, machine, fields, metric, unit,
      unnest(range(len(series))) AS "index",
      unnest(series, recursive := true)
    FROM metric_series
    WHERE app = $app
      AND ($machine IS NULL OR machine GLOB $machine)
      AND len(
        list_filter(
          from_json($metrics, '["VARCHAR"]'), lambda pattern: metric = pattern OR metric GLOB pattern
        )
      ) > 0
  )

SELECT
  p.app, p.machine, p.fields, p.metric, p.unit, p."index", p.run_id, p.version, p.started_at,
  p.value, c."before", c."after", c.change, c.direction, c.p_value
FROM points AS p
LEFT JOIN (
  FROM change_points
  WHERE app = $app
    AND len(
      list_filter(
        from_json($metrics, '["VARCHAR"]'), lambda pattern: metric = pattern OR metric GLOB pattern
      )
    ) > 0
) AS c
  ON p.fields = c.fields AND p.metric = c.metric AND p."index" = c."index"
ORDER BY p.metric, CAST(p.fields AS VARCHAR), p."index";
