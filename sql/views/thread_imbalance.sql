-- requires: flags, blocks, imbalance
--
-- Imbalance across the threads of a CPU process: how unevenly they share its instructions and its
-- time, and in which functions.
--
-- A cost is a function's own: of its callees it has none, so that costs of functions add up to those
-- of threads. The excess of a function is its cost on the busiest thread over the mean of the
-- threads; the excesses of all functions add up to that of the busiest thread over the mean.
--
-- The first thread of many programs only starts the others and waits for them. It is left out where
-- it executes less than half of the mean of the others, and of what they do less than a tenth.

-- One row is a function in a thread, with what is known of the thread and of its process. By windows:
-- the process is compared with itself without a join.
CREATE OR REPLACE VIEW _thread_functions AS
WITH
  counted AS (
    SELECT
      run_id, rank, thread, region,
      CAST(sum(value) AS DOUBLE) AS value
    FROM pmu_samples
    WHERE thread IS NOT NULL AND cpu IS NULL
      AND (event = 'Ir' OR (region IS NULL AND event = 'instructions'))
    GROUP BY run_id, rank, thread, region
  ),

  -- what a thread spent on one element: a function, or a basic block of a function
  elements AS (
    SELECT
      run_id, CAST(NULL AS INTEGER) AS parallelism, CAST(NULL AS INTEGER) AS repetition, rank, thread,
      'instructions' AS measure, region AS function, region AS element, value,
      CAST(NULL AS BIGINT) AS least, CAST(NULL AS BOOLEAN) AS early
    FROM counted
    UNION ALL
    SELECT
      v.run_id, NULL, NULL, NULL, v.thread, 'instructions', b."function",
      CAST(v.bb AS VARCHAR), CAST(sum(coalesce(v.instructions, v.visits * b.size)) AS DOUBLE),
      min(v.instructions), bool_or(v.interval = 0)
    FROM bb_visits AS v
    LEFT JOIN (
      SELECT run_id, bb, max(size) AS size, any_value("function") AS "function"
      FROM bb_blocks
      WHERE kernel IS NULL
      GROUP BY run_id, bb
    ) AS b
      ON v.run_id = b.run_id AND v.bb = b.bb
    WHERE v.thread IS NOT NULL AND v.block IS NULL AND v.warp IS NULL AND v.kernel IS NULL
      -- callgrind counts both: blocks, and functions as a whole
      AND NOT EXISTS (FROM counted AS c WHERE c.run_id = v.run_id)
    GROUP BY v.run_id, v.thread, v.bb, b."function"
    HAVING count(coalesce(v.instructions, v.visits * b.size)) = count(*)
    UNION ALL
    SELECT
      run_id, parallelism, repetition, rank, thread, 'seconds', function, function, sum(seconds),
      NULL, NULL
    FROM fn_timings
    WHERE thread IS NOT NULL AND seconds >= 0 AND isfinite(seconds)
      AND kind IS DISTINCT FROM 'total' AND NOT _waits_by_name(function)
      AND function NOT IN (SELECT function FROM function_classes WHERE kind = 'total')
    GROUP BY run_id, parallelism, repetition, rank, thread, function
  ),

  shared AS (
    SELECT
      *,
      count(*) FILTER (value > 0) OVER (
        PARTITION BY run_id, parallelism, repetition, rank, measure, element
      ) > 1 AS with_others
    FROM elements
  ),

  functions AS (
    SELECT
      run_id, parallelism, repetition, rank, measure, thread, function,
      sum(value) AS value,
      coalesce(sum(value) FILTER (with_others), 0) AS with_others
    FROM shared
    GROUP BY run_id, parallelism, repetition, rank, measure, thread, function
  ),

  -- What exp-bbv counts: no block is larger than the least that any thread executed of it in an
  -- interval, so that a thread has visited it at least so many times. Among the blocks that every
  -- thread but the first executes in its first interval is the one by which threads start.
  visited AS (
    SELECT
      run_id, rank, thread, value / min(least) OVER block AS visits, is_first,
      count(*) FILTER (early AND NOT is_first) OVER block
        = count(DISTINCT thread) OVER (PARTITION BY run_id) - 1 AS in_all
    FROM (
      SELECT *, thread = min(thread) OVER (PARTITION BY run_id) AS is_first
      FROM elements
      WHERE least > 0 AND run_id IN (SELECT run_id FROM runs WHERE map_contains(tags, 'interval_size'))
    )
    WINDOW block AS (PARTITION BY run_id, element)
  ),

  -- valgrind gives the number of a thread that has ended to the next one
  reused AS (
    SELECT run_id, rank, thread, CAST(max(value) AS BIGINT) AS threads
    FROM pmu_samples
    WHERE region = 'start_thread' AND event = 'calls' AND value > 1
    GROUP BY run_id, rank, thread
    UNION ALL
    SELECT run_id, rank, thread, CAST(floor(min(visits)) AS BIGINT)
    FROM visited
    WHERE in_all AND NOT is_first
    GROUP BY run_id, rank, thread
    HAVING min(visits) >= 2
  ),

  compared AS (
    SELECT
      f.*,
      coalesce(r.threads, 1) AS threads,
      row_number() OVER one = 1 AS leads,
      sum(f.value) OVER one AS thread_value,
      sum(f.with_others) OVER one AS thread_with_others,
      f.thread = min(f.thread) OVER every AS first,
      (sum(f.value) OVER every - sum(f.value) OVER one)
        / nullif(count(DISTINCT f.thread) OVER every - 1, 0) AS mean_of_others
    FROM functions AS f
    LEFT JOIN reused AS r
      ON f.run_id = r.run_id AND f.rank IS NOT DISTINCT FROM r.rank AND f.thread = r.thread
    WINDOW
      one AS (PARTITION BY f.run_id, f.parallelism, f.repetition, f.rank, f.measure, f.thread),
      every AS (PARTITION BY f.run_id, f.parallelism, f.repetition, f.rank, f.measure)
  ),

  judged AS (
    SELECT
      *,
      NOT coalesce(
        first AND thread_value < 0.5 * mean_of_others
        AND thread_with_others < 0.1 * mean_of_others,
        false
      ) AS working
    FROM compared
  )

SELECT
  run_id, parallelism, repetition, rank, measure, thread, function, value, threads, leads,
  thread_value, working,
  sum(threads) FILTER (working AND leads) OVER every AS process_threads,
  sum(value) FILTER (working) OVER every AS process_value,
  max(thread_value / threads) FILTER (working) OVER every AS max_value,
  arg_max(thread, (thread_value / threads, -thread)) FILTER (working) OVER every AS busiest_thread
FROM judged
WINDOW every AS (PARTITION BY run_id, parallelism, repetition, rank, measure);

CREATE OR REPLACE VIEW thread_work AS -- One row is one thread of a process (or one number that several had, one after another) and what it spent: its instructions, or its seconds without calls that wait.
SELECT
  run_id, parallelism, repetition,
  rank, -- Process; NULL where there is one.
  measure,
  thread, -- Thread: its number.
  threads, -- Threads that had this number, one after another: valgrind uses that of a thread that has ended again. Of exp-bbv at least so many.
  thread_value AS value, -- What it spent, in instructions or seconds.
  working -- false for a first thread that takes hardly any part in the work of the others.
FROM _thread_functions
WHERE leads;

CREATE OR REPLACE VIEW thread_imbalance AS -- One row is one process and measure: how unevenly its threads share the instructions or the seconds.
WITH
  sums AS (
    SELECT
      run_id, parallelism, repetition, rank, measure,
      CAST(coalesce(sum(threads) FILTER (working), 0) AS BIGINT) AS threads,
      any_value(thread) FILTER (NOT working) AS first_thread,
      any_value(value) FILTER (NOT working) AS first_thread_value,
      min(value / threads) FILTER (working) AS min_value,
      sum(value) FILTER (working) / sum(threads) FILTER (working) AS mean_value,
      max(value / threads) FILTER (working) AS max_value,
      arg_max(thread, (value / threads, -thread)) FILTER (working) AS busiest_thread,
      list(thread ORDER BY thread) FILTER (threads > 1) AS reused
    FROM thread_work
    GROUP BY run_id, parallelism, repetition, rank, measure
  )

SELECT
  run_id, parallelism, repetition,
  rank, -- Process; NULL where there is one.
  measure,
  threads, -- Threads that work (thread_work.working).
  first_thread, -- The first thread, where it takes hardly any part in the work of the others and is left out.
  first_thread_value, -- What it spent.
  min_value, -- Least of a thread, in instructions or seconds.
  mean_value, -- Mean over the threads.
  max_value, -- Most of a thread.
  busiest_thread, -- The thread that spent it.
  CASE WHEN threads > 1 AND mean_value > 0 THEN max_value / mean_value - 1 END AS imbalance, -- max over mean - 1: 0.5 where the busiest thread spends half as much again as the mean; NULL for a single thread.
  reused IS NOT NULL AS is_bound, -- Several threads had one number, so that the imbalance is at least that.
  CASE
    WHEN threads < 2 THEN _flag('one_thread')
    WHEN max_value = 0 THEN _flag('threads_idle')
    WHEN reused IS NOT NULL THEN
      _flag('thread_numbers_reused', MAP {
        'threads': array_to_string(list_transform(reused, lambda t: CAST(t AS VARCHAR)), ', ')
      })
  END AS note -- Why there is no imbalance, or what it is based on.
FROM sums;

CREATE OR REPLACE VIEW function_thread_imbalance AS -- One row is one function: how unevenly the working threads of a process share its own cost, and how much of the imbalance of the process it makes.
WITH
  sums AS (
    SELECT
      run_id, parallelism, repetition, rank, measure, function,
      count(*) FILTER (value > 0) AS called_on,
      sum(value) AS total,
      max(value / threads) AS max_value,
      arg_max(thread, (value / threads, -thread)) AS busiest_thread,
      coalesce(sum(value / threads) FILTER (thread = process.busiest_thread), 0) AS on_busiest,
      any_value(process_threads) AS threads,
      any_value(process_value) AS process_value,
      any_value(process.max_value) AS process_most
    FROM _thread_functions AS process
    WHERE working AND process_threads > 1
    GROUP BY run_id, parallelism, repetition, rank, measure, function
  )

SELECT
  run_id, parallelism, repetition,
  rank, -- Process; NULL where there is one.
  measure,
  function, -- Function; NULL for code whose function is not known.
  CAST(threads AS BIGINT) AS threads, -- Threads that work (thread_imbalance.threads).
  called_on, -- Threads, by their numbers, that executed it.
  total / threads AS mean_value, -- Mean over the threads that work, in instructions or seconds; a thread that does not execute it has 0.
  max_value, -- Most of a thread.
  busiest_thread, -- The thread that spends most in it.
  max_value / nullif(total / threads, 0) - 1 AS imbalance, -- max over mean - 1.
  on_busiest - total / threads AS excess, -- What the busiest thread of the process spends in it over the mean; the sum over functions is the excess of that thread.
  (on_busiest - total / threads)
    / CASE WHEN process_most >= 1.01 * process_value / threads
      THEN process_most - process_value / threads END AS excess_share, -- excess over that sum; negative where the busiest thread spends less than the mean; NULL where the imbalance of the process is below 1 %: there is nothing to share.
  total / nullif(process_value, 0) AS share -- Share of the function of what all threads spend, 0..1.
FROM sums;
