-- Predicted times of the functions $functions of a set of runs at each of $counts.
SELECT function, parallelism, predicted, low, high
FROM _scaling_predict(CAST($counts AS BIGINT[]))
WHERE set_id = $set_id AND predicted IS NOT NULL
  AND list_contains(CAST($functions AS VARCHAR[]), function)
ORDER BY function, parallelism;
