-- Series of one application: the times of the whole first.
SELECT app, machine, fields, metric, unit, points, series
FROM metric_series
WHERE app = $app
  AND ($machine IS NULL OR machine GLOB $machine)
  AND len(
    list_filter(
      from_json($metrics, '["VARCHAR"]'), lambda pattern: metric = pattern OR metric GLOB pattern
    )
  ) > 0
ORDER BY
  metric <> 'wall_seconds', metric <> 'functions:seconds', _is_size(metric), metric,
  points DESC, CAST(fields AS VARCHAR);
