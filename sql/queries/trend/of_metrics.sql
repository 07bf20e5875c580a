-- Series of some metrics of an application.
FROM metric_series
WHERE app = $app AND list_contains(from_json($metrics, '["VARCHAR"]'), metric);
