-- Two sets of runs, metric by metric, in the order of `place`.
SELECT * EXCLUDE (place)
FROM comparison(
  from_json($before, '["VARCHAR"]'), from_json($after, '["VARCHAR"]'),
  level := $level, metrics := from_json($metrics, '["VARCHAR"]')
)
ORDER BY place;
