-- How evenly the ranks share each function of a set of runs at its largest count with known ranks,
-- and how that changes with the count; the most seconds to save first.
WITH
  of_set AS (
    FROM imbalance_scaling
    WHERE app IS NOT DISTINCT FROM $app AND version IS NOT DISTINCT FROM $version
      AND machine IS NOT DISTINCT FROM $machine
  )

SELECT
  function, waiting, parallelism, ranks, measurements, mean_seconds, max_seconds, imbalance,
  saved_seconds, slow_ranks, share, exponent
FROM of_set
WHERE parallelism = (SELECT max(parallelism) FROM of_set)
ORDER BY saved_seconds DESC NULLS LAST, function;
