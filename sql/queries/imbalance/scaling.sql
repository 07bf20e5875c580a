-- How evenly the ranks share each function of a set of runs at its largest count with known ranks,
-- and how that changes with the count; the most seconds to save first.
WITH
  of_set AS (
    FROM imbalance_scaling
    WHERE set_id = $set_id
  )

SELECT
  function, waiting, parallelism, ranks, measurements, mean_seconds, max_seconds, imbalance,
  saved_seconds, slow_ranks, share, exponent
FROM of_set
WHERE parallelism = (SELECT max(parallelism) FROM of_set)
ORDER BY saved_seconds DESC NULLS LAST, function;
