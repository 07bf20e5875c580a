-- key: run_id VARCHAR
-- scope: run_id
-- reads: fn_timings, function_kinds
-- requires: imbalance, settings
--
-- How evenly the ranks of a run share the time of each of its functions.

-- inputs
SELECT *
FROM _run_inputs((SELECT list(scope) FROM _scope), 'fn_timings', 'scaling')
WHERE key IN (SELECT run_id FROM fn_timings WHERE rank IS NOT NULL);

-- rows
WITH
  -- how many ranks were measured, whatever ran on them
  measured AS (
    SELECT run_id, parallelism, repetition, count(DISTINCT rank) AS ranks
    FROM fn_timings
    WHERE seconds IS NOT NULL
    GROUP BY ALL
  ),

  of_functions AS (
    SELECT
      run_id, parallelism, repetition, function, waiting,
      count(*) AS called_on,
      count(*) - count(seconds) AS unknown,
      min(seconds) AS least, max(seconds) AS most, sum(seconds) AS total,
      list({'rank': rank, 'seconds': seconds}) AS times
    FROM rank_times
    GROUP BY ALL
  ),

  -- a rank on which a function did not run spent no time in it
  spread AS (
    SELECT
      f.* EXCLUDE (least, most, total),
      m.ranks AS measured,
      CASE WHEN f.unknown < m.ranks THEN m.ranks - f.unknown END AS ranks,
      most AS max_seconds,
      CASE WHEN f.called_on < m.ranks AND least IS NOT NULL THEN 0.0 ELSE least END AS min_seconds,
      -- equal times are balanced to the last digit
      CASE WHEN min_seconds = most THEN most ELSE total / (m.ranks - f.unknown) END AS mean_seconds
    FROM of_functions AS f
    JOIN measured AS m
      ON f.run_id = m.run_id AND f.parallelism IS NOT DISTINCT FROM m.parallelism
      AND f.repetition IS NOT DISTINCT FROM m.repetition
  ),

  -- functions of which no rank is known, with the one time that there is
  without_ranks AS (
    SELECT run_id, parallelism, repetition, function, sum(seconds) AS mean_seconds
    FROM _rankless_times AS w
    ANTI JOIN spread AS s
      ON w.run_id = s.run_id AND w.function = s.function
      AND w.parallelism IS NOT DISTINCT FROM s.parallelism
      AND w.repetition IS NOT DISTINCT FROM s.repetition
    GROUP BY ALL
  ),

  together AS (
    FROM spread
    UNION ALL BY NAME
    SELECT *, 0 AS unknown FROM without_ranks
  )

SELECT
  run_id, parallelism, repetition, function, waiting, measured, ranks, called_on, unknown,
  min_seconds, mean_seconds, max_seconds,
  CASE
    WHEN ranks > 1 AND max_seconds > 0 AND NOT waiting THEN
      list_transform(
        list_slice(
          list_sort(
            list_transform(
              list_filter(
                times, lambda one: one['seconds'] > mean_seconds + (max_seconds - mean_seconds) / 2
              ),
              lambda one: {'order': -one['seconds'], 'rank': one['rank']}
            )
          ),
          1, 5
        ),
        lambda one: one['rank']
      )
  END AS slowest_ranks,
  mean_seconds / nullif(
    sum(mean_seconds) OVER (PARTITION BY run_id, parallelism, repetition), 0
  ) AS share
FROM together;
