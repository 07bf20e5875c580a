-- A program's time, speed-up, efficiency and core hours at each of $counts and problem size $size:
-- the sum of the functions' predictions there, against the sum at the smallest count; that of whole
-- runs where nothing else was measured. Errors of functions are partly correlated: half way between
-- fully and not at all.
WITH
  predictions AS (
    SELECT t.*, ln(t.high / t.low) / 2 * t.predicted AS half
    FROM scaling_predict_at(list_append(CAST($counts AS BIGINT[]), CAST($smallest AS BIGINT)), $size)
      AS t
    WHERE t.app IS NOT DISTINCT FROM $app AND t.version IS NOT DISTINCT FROM $version
      AND t.machine IS NOT DISTINCT FROM $machine
    QUALIFY t.kind <> 'total' OR bool_and(t.kind = 'total') OVER ()
  ),

  summed AS (
    SELECT
      parallelism,
      CASE WHEN bool_and(kind = 'total') THEN 'wall time' ELSE 'sum of rank means' END AS basis,
      sum(predicted) AS predicted,
      sqrt((pow(sum(half), 2) + sum(pow(half, 2))) / 2) / sum(predicted) AS half,
      list_sort(list_distinct(flatten(list(list_filter(
        flags, lambda flag: flag LIKE 'no model of%' OR flag LIKE 'extrapolating %'
      ))))) AS flags
    FROM predictions
    GROUP BY parallelism
  )

SELECT
  s.parallelism, s.predicted, s.predicted * exp(-s.half) AS low, s.predicted * exp(s.half) AS high,
  b.predicted / s.predicted
    * CASE WHEN $scaling = 'weak' THEN s.parallelism / b.parallelism ELSE 1 END AS speedup,
  b.predicted / s.predicted
    * CASE WHEN $scaling = 'weak' THEN 1 ELSE b.parallelism / s.parallelism END AS efficiency,
  s.predicted * s.parallelism * c.cores_each / 3600 AS core_hours,
  s.basis, false AS measured, s.flags
FROM summed AS s
JOIN summed AS b ON b.parallelism = $smallest
JOIN scaling_sets AS c
  ON c.app IS NOT DISTINCT FROM $app AND c.version IS NOT DISTINCT FROM $version
  AND c.machine IS NOT DISTINCT FROM $machine
WHERE list_contains(CAST($counts AS BIGINT[]), s.parallelism)
ORDER BY s.parallelism;
