-- Two sets of runs, metric by metric: the worst first, with new functions that take time, then the
-- largest changes. What is new or gone between single runs is no surer than what differs there, and of
-- functions with less than 1 % of the time nobody asks whether they are.
SELECT *
FROM comparison(
  CAST($before AS VARCHAR[]), CAST($after AS VARCHAR[]),
  level := $level, metrics := CAST($metrics AS VARCHAR[])
)
ORDER BY
  CASE
    WHEN verdict NOT IN ('new', 'gone') OR coalesce(share_before, share_after) IS NULL THEN
      list_position(
        ['worse', 'changed', 'better', 'new', 'gone', 'uncertain', 'unknown', 'same'], verdict
      )
    WHEN greatest(share_before, share_after) < 0.01 THEN 8
    WHEN least(runs_before, runs_after) < 2 THEN 7
    WHEN verdict = 'new' THEN 1
    ELSE 5
  END,
  metric NOT IN ('wall_seconds', 'functions:seconds', 'functions:cost'),
  unit IS DISTINCT FROM 's',
  CASE
    WHEN unit = 's' OR starts_with(metric, 'cost:')
      THEN abs(coalesce("after", 0) - coalesce("before", 0))
  END DESC NULLS LAST,
  abs(ln(nullif(ratio, 0))) DESC NULLS LAST,
  metric, CAST(fields_after AS VARCHAR);
