-- Metrics of which the files of an application state another direction than the unit has.
SELECT
  'metric:' || m.metric AS metric, any_value(m.unit) AS unit, any_value(m.better) AS stated,
  _better_of_unit(any_value(m.unit)) AS better
FROM metrics AS m
JOIN runs AS r ON m.run_id = r.run_id
WHERE r.app = $app AND m.better <> _better_of_unit(m.unit)
GROUP BY m.metric
ORDER BY m.metric
LIMIT 3;
