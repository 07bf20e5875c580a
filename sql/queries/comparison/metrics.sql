-- Two sets of runs, metric by metric: the worst first, then the largest changes.
SELECT *
FROM comparison(
  from_json($before, '["VARCHAR"]'), from_json($after, '["VARCHAR"]'),
  level := $level, metrics := from_json($metrics, '["VARCHAR"]')
)
ORDER BY
  list_position(['worse', 'changed', 'better', 'new', 'gone', 'unknown', 'same'], verdict),
  metric NOT IN ('wall_seconds', 'functions:seconds'),
  unit IS DISTINCT FROM 's',
  CASE WHEN unit = 's' THEN abs(coalesce("after", 0) - coalesce("before", 0)) END DESC NULLS LAST,
  abs(ln(nullif(ratio, 0))) DESC NULLS LAST,
  metric, CAST(fields_after AS VARCHAR);
