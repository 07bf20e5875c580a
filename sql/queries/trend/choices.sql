-- Series of an application: its metrics on machines, those that it is judged by first (is_main), then
-- results of benchmarks.
SELECT s.metric, s.machine, s.fields, s.unit, s.points, o.place IS NOT NULL AS is_main
FROM metric_series AS s
LEFT JOIN _main_order AS o ON s.metric = o.metric
WHERE s.app = $app
ORDER BY o.place NULLS LAST, _is_size(s.metric), NOT starts_with(s.metric, 'metric:'),
  starts_with(s.metric, 'counter:'), s.unit IS NULL, s.metric, s.points DESC, s.fields;
