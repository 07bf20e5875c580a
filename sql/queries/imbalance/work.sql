-- How evenly the ranks of a run share its work, which is the time of all functions but the calls that
-- wait for other ranks; at the largest parallelism, the median of the repetitions. No row where fewer
-- than two ranks are known.
WITH
  of_run AS (
    FROM rank_times
    WHERE run_id = $run_id
  ),

  of_repetitions AS (
    SELECT
      rank, repetition,
      coalesce(sum(seconds) FILTER (NOT waiting), 0) AS work,
      coalesce(sum(seconds) FILTER (waiting), 0) AS waiting
    FROM of_run
    WHERE parallelism IS NOT DISTINCT FROM (SELECT max(parallelism) FROM of_run)
    GROUP BY rank, repetition
  ),

  of_ranks AS (
    SELECT rank, median(work) AS work, median(waiting) AS waiting
    FROM of_repetitions
    GROUP BY rank
  )

SELECT
  count(*) AS ranks,
  avg(work) AS mean_seconds,
  max(work) AS max_seconds,
  arg_max(rank, (work, -rank)) AS slowest_rank,
  avg(waiting) AS waiting_seconds
FROM of_ranks
HAVING count(*) > 1 AND max(work) > 0;
