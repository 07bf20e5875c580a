-- requires: flags, scaling_points
--
-- Imbalance across ranks: how unevenly the ranks of a run share the time of its functions, which
-- ranks are slow, and how the imbalance changes with the parallelism.
--
-- In a call that waits for other ranks imbalance reads inversely: the rank that comes late waits
-- least. Such calls are marked, and no rank is called slow by them.

-- Whether the name of a function says that it waits for others.
CREATE OR REPLACE MACRO _waits_by_name(function) AS regexp_matches(
  lower(function),
  'barrier|(^|[^a-z])wait|mpi_test|mpi_win_(start|complete|post|lock|unlock|flush)'
);

-- One row is the time of a function on a rank beside its threads, or of its threads together: the
-- longest counts. Rows of call paths are still to be added up.
CREATE OR REPLACE VIEW _rank_parts AS
WITH
  of_threads AS (
    SELECT
      run_id, parallelism, repetition, rank, thread, function,
      sum(seconds) AS seconds,
      count(seconds) > 0 AND bool_and(seconds >= 0 AND isfinite(seconds)) AS valid,
      any_value(kind) AS tool_kind
    FROM fn_timings
    WHERE rank IS NOT NULL AND thread IS NOT NULL
    GROUP BY ALL
  )

SELECT
  run_id, parallelism, repetition, rank, function,
  max(seconds) AS seconds, bool_and(valid) AS valid, NULL AS known,
  any_value(tool_kind) AS tool_kind
FROM of_threads
GROUP BY run_id, parallelism, repetition, rank, function
UNION ALL
SELECT
  run_id, parallelism, repetition, rank, function,
  seconds, seconds >= 0 AND isfinite(seconds), seconds IS NOT NULL, kind
FROM fn_timings
WHERE rank IS NOT NULL AND thread IS NULL;

CREATE OR REPLACE VIEW rank_times AS -- One row is one function on one rank in one measurement (run, parallelism and repetition). A rank on which a function did not run has no row; times of whole runs (kind total) are left out.
WITH
  -- names in tools of the kinds whose calls wait
  waiting_kinds (name) AS (
    VALUES
      ('blocking point-to-point'), ('p2p_b'), ('n-to-n collective'), ('n2n'),
      ('n-to-1 and 1-to-n collective'), ('n2one'), ('n-to-1'), ('1-to-n')
  ),

  -- blocking calls and collectives wait by their kind; other calls by their name (MPI_Waitall,
  -- shmem_barrier_all, omp barrier), and one-sided ones that open or close an epoch
  classes AS (
    SELECT
      function,
      kind = 'total' AS is_total,
      kind IN (
        'blocking point-to-point', 'n-to-n collective', 'n-to-1 and 1-to-n collective'
      ) OR _waits_by_name(function) AS waiting
    FROM function_classes
  ),

  of_ranks AS (
    SELECT
      run_id, parallelism, repetition, rank, function,
      coalesce(sum(seconds), 0) AS seconds,
      bool_and(valid) AND coalesce(bool_or(known), true) AS valid,
      any_value(tool_kind) AS tool_kind
    FROM _rank_parts
    GROUP BY ALL
  )

SELECT
  r.run_id, r.parallelism, r.repetition, r.rank, r.function,
  c.waiting OR coalesce(r.tool_kind IN (SELECT name FROM waiting_kinds), false) AS waiting, -- Whether its time is for the most part waiting for other ranks: collectives, blocking point-to-point calls, waits and barriers (function_classes, kinds that the tool states, names).
  CASE WHEN r.valid THEN r.seconds END AS seconds -- Own (exclusive) time, s: added up over call paths, the longest of the threads. NULL where it is unknown, below zero or not finite.
FROM of_ranks AS r
JOIN classes AS c ON r.function = c.function
WHERE NOT c.is_total AND r.tool_kind IS DISTINCT FROM 'total';

-- Times without a rank, of functions that are no totals.
CREATE OR REPLACE VIEW _rankless_times AS
SELECT run_id, parallelism, repetition, function, seconds
FROM fn_timings
WHERE rank IS NULL AND seconds >= 0 AND isfinite(seconds) AND kind IS DISTINCT FROM 'total'
  AND function NOT IN (SELECT function FROM function_classes WHERE kind = 'total');

CREATE OR REPLACE VIEW rank_imbalance AS -- One row is one function in one measurement (run, parallelism and repetition), and how evenly the ranks share its time. Times of whole runs (kind total) are left out.
WITH
  -- runs of which no rank is known
  without_ranks AS (
    SELECT
      run_id, parallelism, repetition, function, sum(seconds) AS mean_seconds,
      mean_seconds / nullif(
        sum(mean_seconds) OVER (PARTITION BY run_id, parallelism, repetition), 0
      ) AS share
    FROM _rankless_times
    ANTI JOIN _rank_spread USING (run_id)
    GROUP BY run_id, parallelism, repetition, function
  ),

  together AS (
    SELECT *, ranks > 1 AND max_seconds > 0 AS comparable
    FROM _rank_spread
    UNION ALL BY NAME
    SELECT *, 0 AS unknown, false AS comparable
    FROM without_ranks
  )

SELECT
  t.run_id, t.parallelism, t.repetition, t.function,
  t.waiting, -- Whether its time is for the most part waiting for other ranks (rank_times.waiting); NULL where ranks are unknown.
  t.ranks, -- Ranks that are compared: all that were measured, also those on which the function did not run (0 s), without those whose time is unknown. NULL where ranks are unknown.
  min_seconds, -- Shortest own (exclusive) time of a rank, s.
  mean_seconds, -- Mean over the ranks, s; where ranks are unknown the one time that there is.
  max_seconds, -- Longest time of a rank, s.
  CASE WHEN comparable THEN max_seconds / mean_seconds - 1 END AS imbalance, -- max / mean - 1: 0 is balanced, 0.5 is a slowest rank that takes 1.5 times the mean, ranks - 1 is all time on one rank. NULL where there are no two ranks to compare or no time was spent (see flags).
  CASE WHEN comparable AND NOT t.waiting THEN max_seconds - mean_seconds END AS saved_seconds, -- Time that perfect balance would save at most: max - mean, s. NULL also for waiting calls, which become shorter when others are balanced.
  t.slowest_ranks, -- Up to five ranks whose time is nearer to the longest than to the mean (over mean + (max - mean) / 2), the slowest first. Empty where all are equal; NULL for waiting calls.
  t.share, -- Share of the own time of all functions in the measurement, mean over the ranks, 0..1.
  list_filter(
    [
      CASE
        WHEN measured IS NULL THEN _flag('ranks_unknown')
        WHEN unknown > 0
          THEN _flag('unknown_times', MAP {
            'unknown': CAST(unknown AS VARCHAR), 'ranks': CAST(measured AS VARCHAR)
          })
      END,
      CASE WHEN t.ranks = 1 THEN _flag('one_rank') END,
      CASE WHEN max_seconds = 0 THEN _flag('no_time') END,
      CASE
        WHEN called_on < measured
          THEN _flag('called_on_some', MAP {
            'called': CAST(called_on AS VARCHAR), 'ranks': CAST(measured AS VARCHAR)
          })
      END,
      CASE
        WHEN measured < r.ranks AND coalesce(t.parallelism = r.ranks, true)
          THEN _flag('measured_on_some', MAP {
            'measured': CAST(measured AS VARCHAR), 'ranks': CAST(r.ranks AS VARCHAR)
          })
      END,
      CASE
        WHEN t.waiting THEN _flag('waiting')
      END
    ],
    lambda flag: flag IS NOT NULL
  ) AS flags -- What to note: ranks_unknown, unknown_times, one_rank, no_time, called_on_some, measured_on_some, waiting (flag_texts).
FROM together AS t
LEFT JOIN runs AS r ON t.run_id = r.run_id;

CREATE OR REPLACE VIEW imbalance_scaling AS -- One row is one function of a set of runs (same application, version and machine) at one parallelism, at the set's own problem size: how evenly the ranks share its time, as the median over runs and repetitions. Only measurements with two ranks or more.
WITH
  at_counts AS (
    SELECT
      u.set_id, u.app, u.version, u.machine, i.function,
      bool_or(i.waiting) AS waiting,
      coalesce(i.parallelism, u.parallelism) AS parallelism,
      CAST(median(i.ranks) AS BIGINT) AS ranks,
      count(*) AS measurements,
      median(i.mean_seconds) AS mean_seconds,
      median(i.max_seconds) AS max_seconds,
      median(i.imbalance) AS imbalance,
      median(i.saved_seconds) AS saved_seconds,
      median(i.share) AS share,
      flatten(list(i.slowest_ranks) FILTER (i.slowest_ranks IS NOT NULL)) AS slow
    FROM rank_imbalance AS i
    JOIN scaling_runs AS u ON i.run_id = u.run_id
    JOIN scaling_sets AS s ON u.set_id = s.set_id
    WHERE i.imbalance IS NOT NULL AND coalesce(i.parallelism, u.parallelism) > 0
      AND (NOT s.crossed OR u.problem_size = s.problem_size)
    GROUP BY
      u.set_id, u.app, u.version, u.machine, i.function, coalesce(i.parallelism, u.parallelism)
  ),

  -- a straight line through the logarithms
  laws AS (
    SELECT
      set_id, app, version, machine, function,
      regr_slope(ln(imbalance), ln(parallelism)) AS exponent
    FROM at_counts
    WHERE imbalance > 0
    GROUP BY ALL
    HAVING count(*) >= 3
  )

SELECT
  a.set_id, a.app, a.version, a.machine, a.function,
  a.waiting, -- Whether its time is for the most part waiting for other ranks (rank_times.waiting).
  a.parallelism, -- Parallelism, as in scaling_points.
  a.ranks,
  a.measurements, -- Runs and repetitions.
  a.mean_seconds, -- Own (exclusive) time, mean over the ranks, s.
  a.max_seconds, -- Time of the slowest rank, s.
  a.imbalance, -- max / mean - 1, as in rank_imbalance.
  a.saved_seconds, -- Time that perfect balance would save at most: max - mean, s. NULL for waiting calls.
  list_sort(
    list_filter(
      list_distinct(a.slow),
      lambda rank: 2 * len(list_filter(a.slow, lambda other: other = rank)) >= a.measurements
    )
  ) AS slow_ranks, -- Ranks that are among the slowest (rank_imbalance.slowest_ranks) in at least half of the measurements; NULL for waiting calls.
  a.share, -- Share of the own time of all functions, 0..1.
  l.exponent -- Growth of the imbalance over all counts of the set: slope of log imbalance by log parallelism (0.5: twice the imbalance at four times the count). NULL where fewer than three counts have an imbalance above 0.
FROM at_counts AS a
LEFT JOIN laws AS l ON a.set_id = l.set_id AND a.function = l.function;
