-- Two sets of runs, metric by metric, in the order of `place`.
SELECT * EXCLUDE (place)
FROM comparison(
  CAST($before AS VARCHAR[]), CAST($after AS VARCHAR[]),
  level := $level, metrics := CAST($metrics AS VARCHAR[])
)
ORDER BY place;
