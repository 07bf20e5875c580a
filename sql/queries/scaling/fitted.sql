-- Predicted times of the functions $functions of a set of runs at each of $counts.
SELECT function, parallelism, predicted, low, high
FROM _scaling_predict(CAST($counts AS BIGINT[]))
WHERE app IS NOT DISTINCT FROM $app AND version IS NOT DISTINCT FROM $version
  AND machine IS NOT DISTINCT FROM $machine AND predicted IS NOT NULL
  AND list_contains(CAST($functions AS VARCHAR[]), function)
ORDER BY function, parallelism;
