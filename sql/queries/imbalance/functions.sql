-- How evenly the ranks of a run share each function, at the run's largest parallelism: the median of
-- its repetitions, the most seconds to save first.
WITH
  of_run AS (
    FROM rank_imbalance
    WHERE run_id = $run_id AND imbalance IS NOT NULL
  ),

  summed AS (
    SELECT
      function, waiting,
      max(ranks) AS ranks,
      median(min_seconds) AS min_seconds,
      median(mean_seconds) AS mean_seconds,
      median(max_seconds) AS max_seconds,
      median(imbalance) AS imbalance,
      median(saved_seconds) AS saved_seconds,
      median(share) AS share,
      flatten(list(slowest_ranks) FILTER (slowest_ranks IS NOT NULL)) AS slow,
      count(*) AS repetitions,
      list_distinct(flatten(list(flags))) AS flags
    FROM of_run
    WHERE parallelism IS NOT DISTINCT FROM (SELECT max(parallelism) FROM of_run)
    GROUP BY function, waiting
  )

SELECT
  * EXCLUDE (slow, repetitions),
  list_sort(
    list_filter(
      list_distinct(slow),
      lambda rank: 2 * len(list_filter(slow, lambda other: other = rank)) >= repetitions
    )
  ) AS slow_ranks
FROM summed
ORDER BY saved_seconds DESC NULLS LAST, function;
