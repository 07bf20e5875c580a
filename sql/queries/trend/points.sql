-- Series of one application, a row a run, with what changed there.
WITH
  points AS (
    SELECT
      app, machine, fields, metric, unit,
      unnest(range(len(series))) AS "index",
      unnest(series, recursive := true)
    FROM metric_series
    WHERE app = $app
      AND ($machine IS NULL OR _matches(machine, $machine))
      AND _matches_any(metric, $metrics)
  )

SELECT
  p.app, p.machine, p.fields, p.metric, p.unit, p."index", p.run_id, p.version, p."commit",
  p.started_at, p.value,
  EXISTS (
    FROM disturbances AS d
    WHERE d.app = $app AND d.fields = p.fields AND d.metric = p.metric
      AND p."index" BETWEEN d."first" AND d."last"
  ) AS disturbed,
  c.event_id, c.certainty, c."before", c."after", c.change, c.direction, c.p_value, c.more_runs, c.acknowledged,
  c.note, c.previous_version, c.previous_commit
FROM points AS p
LEFT JOIN (
  SELECT *, if(more_runs IS NULL, 'confirmed', 'provisional') AS certainty
  FROM _found_changes
  WHERE app = $app
    AND _matches_any(metric, $metrics)
) AS c
  ON p.fields = c.fields AND p.metric = c.metric AND p."index" = c."index"
ORDER BY p.metric, CAST(p.fields AS VARCHAR), p."index";
