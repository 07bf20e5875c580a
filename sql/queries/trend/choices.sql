-- Series of an application: its metrics on machines, the main ones first.
SELECT metric, machine, fields, unit, points
FROM metric_series
WHERE app = $app
ORDER BY metric <> 'wall_seconds', metric <> 'functions:seconds', contains(metric, ':'),
  starts_with(metric, 'counter:'), metric, points DESC, fields;
