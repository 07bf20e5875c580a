-- Two sets of runs, metric by metric: the worst first, with new functions that take time, then the
-- largest changes.
SELECT *
FROM comparison(
  from_json($before, '["VARCHAR"]'), from_json($after, '["VARCHAR"]'),
  level := $level, metrics := from_json($metrics, '["VARCHAR"]')
)
ORDER BY
  CASE
    WHEN verdict = 'worse' OR verdict = 'new' AND share_after >= 0.01 THEN 0
    ELSE list_position(['changed', 'better', 'new', 'gone', 'uncertain', 'unknown', 'same'], verdict)
  END,
  metric NOT IN ('wall_seconds', 'functions:seconds', 'functions:cost'),
  unit IS DISTINCT FROM 's',
  CASE WHEN unit = 's' THEN abs(coalesce("after", 0) - coalesce("before", 0)) END DESC NULLS LAST,
  abs(ln(nullif(ratio, 0))) DESC NULLS LAST,
  metric, CAST(fields_after AS VARCHAR);
