-- A program's time, speed-up, efficiency and core hours at each of $counts.
SELECT
  t.parallelism, t.predicted, t.low, t.high,
  m.seconds_smallest / t.predicted
    * CASE WHEN $scaling = 'weak' THEN t.parallelism / m.smallest ELSE 1 END AS speedup,
  m.seconds_smallest / t.predicted
    * CASE WHEN $scaling = 'weak' THEN 1 ELSE m.smallest / t.parallelism END AS efficiency,
  t.core_hours, t.flags
FROM program_predict(CAST($counts AS BIGINT[])) AS t
JOIN program_models AS m
  ON t.app IS NOT DISTINCT FROM m.app AND t.version IS NOT DISTINCT FROM m.version
  AND t.machine IS NOT DISTINCT FROM m.machine
WHERE t.app IS NOT DISTINCT FROM $app AND t.version IS NOT DISTINCT FROM $version
  AND t.machine IS NOT DISTINCT FROM $machine
ORDER BY t.parallelism;
