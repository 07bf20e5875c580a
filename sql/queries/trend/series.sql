-- Series of one application: the times of the whole first.
SELECT app, machine, fields, metric, unit, points, series
FROM metric_series
WHERE app = $app
  AND ($machine IS NULL OR _matches(machine, $machine))
  AND _matches_any(metric, $metrics)
ORDER BY
  metric <> 'wall_seconds', metric <> 'functions:seconds', _is_size(metric), metric,
  points DESC, CAST(fields AS VARCHAR);
