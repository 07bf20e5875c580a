-- requires: failed_runs, metric_series
--
-- Kinds of functions, and their measured times by parallelism: the input of scaling models.
--
-- Runs of the same application, version and machine are one set.

-- A call of MPI or SHMEM in any spelling as mpi_send; other names as they are.
CREATE OR REPLACE MACRO _plain_name(function) AS
  coalesce(
    nullif(
      regexp_extract(
        regexp_replace(lower(function), '\bmpi::(?:[a-z_]+::)?', 'mpi_'),
        '(?:^|=>|->|[/!|])\s*p?((?:mpi|shmem)_[a-z][a-z0-9_]*?)(?:_c)?(?:_f08(?:ts)?)?_{0,2}'
        || '(?:@plt|\.part\.\d+)?\s*(?:\(.*\))?\s*(?:\[[^\]]*\])?\s*$', 1
      ),
      ''
    ),
    function
  );

-- The noise of the median of so many repetitions: exact for one, and for many normal deviates.
CREATE OR REPLACE MACRO _noise_of_median(scatter, repetitions) AS
  scatter * sqrt(pi() / 2 / (repetitions - 1 + pi() / 2));

CREATE OR REPLACE MACRO _set_id(app, version, machine) AS
  _number_of(
    concat_ws(
      chr(0), coalesce('=' || app, ''), coalesce('=' || version, ''), coalesce('=' || machine, '')
    )
  );

CREATE OR REPLACE VIEW function_classes AS -- One row is one function that was measured, and its kind by the table function_kinds.
WITH
  known AS (
    SELECT
      _plain_name(function) AS pattern,
      regexp_matches(function, '[*?]') AS is_pattern,
      length(regexp_replace(function, '\[[^\]]*\]|[*?]', '', 'g')) AS letters,
      arg_max(kind, rowid) FILTER (NOT shipped) AS users,
      arg_max(kind, rowid) FILTER (shipped) AS ours
    FROM function_kinds
    GROUP BY ALL
  ),

  names AS (
    SELECT function, _plain_name(function) AS plain
    FROM (SELECT DISTINCT function FROM fn_timings)
  ),

  matched AS (
    -- of several patterns that which has most letters
    SELECT
      n.function,
      arg_max(p.users, p.letters) AS users, arg_max(p.ours, p.letters) AS ours
    FROM names AS n
    JOIN known AS p ON n.function GLOB p.pattern OR n.plain GLOB p.pattern
    WHERE p.is_pattern
    GROUP BY n.function
  )

SELECT
  n.function,
  coalesce(e.users, m.users, e.ours, m.ours, 'computation') AS kind -- Kind, as in function_kinds; computation where no row matches. A name wins over a pattern, a user's row over one that pwh brings.
FROM names AS n
LEFT JOIN known AS e ON n.plain = e.pattern AND NOT e.is_pattern
LEFT JOIN matched AS m ON n.function = m.function;

CREATE OR REPLACE VIEW scaling_runs AS -- One row is one run with function times, and what it counts as in its set of runs (same app, version and machine).
WITH
  timed AS (
    FROM runs
    WHERE run_id IN (SELECT run_id FROM fn_timings)
      AND run_id NOT IN (SELECT run_id FROM failed_runs)
  ),

  -- what the runs of a set differ in
  varying AS (
    SELECT
      *,
      count(DISTINCT ranks) OVER every > 1 AS by_ranks,
      count(DISTINCT threads) OVER every > 1 AS by_threads,
      count(DISTINCT nodes) OVER every > 1 AS by_nodes
    FROM timed
    WINDOW every AS (PARTITION BY app, version, machine)
  ),

  named AS (
    SELECT
      *,
      coalesce(
        tags['scaled_by'],
        CASE
          WHEN by_ranks AND by_threads THEN 'ranks x threads'
          WHEN by_ranks THEN 'ranks'
          WHEN by_threads THEN 'threads'
          WHEN by_nodes THEN 'nodes'
          WHEN ranks IS NULL AND threads IS NOT NULL THEN 'threads'
          WHEN ranks IS NULL AND nodes IS NOT NULL THEN 'nodes'
          ELSE 'ranks'
        END
      ) AS parameter
    FROM varying
  )

SELECT
  run_id, _set_id(app, version, machine) AS set_id, app, version, machine, problem_size,
  CASE
    WHEN by_ranks AND by_threads THEN ranks * threads
    WHEN by_ranks THEN ranks
    WHEN by_threads THEN threads
    WHEN by_nodes THEN nodes
    ELSE coalesce(ranks, threads, nodes)
  END AS parallelism, -- What the set is scaled by: ranks, threads per rank, their product where both vary, or nodes.
  coalesce(ranks * coalesce(threads, 1), CASE WHEN by_threads OR NOT by_nodes THEN threads END)
    AS cores, -- Cores it ran on: ranks times threads, of one rank where they are unknown; NULL where only the nodes are known.
  parameter, -- Name of what the set is scaled by: the tag scaled_by, which readers of experiments with parameters write, else ranks, threads, nodes, or ranks x threads.
  coalesce(
    tags['parameter:' || parameter],
    CASE WHEN parameter IN ('threads', 'nodes') THEN parameter ELSE 'processes' END
  ) AS parameter_kind -- What that is: processes, threads, nodes, blocks (of a GPU kernel), size or other: the tag parameter:NAME (pwh ingest --parameter), else by its name.
FROM named;

-- The time of each function in each measurement of a run: the longest of the threads, mean over the
-- ranks.
CREATE OR REPLACE VIEW _function_measurements AS
WITH
  -- of several threads of a rank the longest counts
  of_threads AS (
    SELECT
      run_id, parallelism, repetition, rank, thread, function,
      sum(seconds) FILTER (seconds >= 0 AND isfinite(seconds)) AS seconds,
      bool_or(NOT (seconds >= 0 AND isfinite(seconds))) AS dropped,
      any_value(kind) AS tool_kind
    FROM fn_timings
    WHERE seconds IS NOT NULL AND thread IS NOT NULL
    GROUP BY ALL
  ),

  of_processes AS (
    SELECT
      run_id, parallelism, repetition, function, max(seconds) AS seconds,
      bool_or(dropped) AS dropped, any_value(tool_kind) AS tool_kind
    FROM of_threads
    GROUP BY run_id, parallelism, repetition, rank, function
    UNION ALL
    SELECT
      run_id, parallelism, repetition, function,
      CASE WHEN seconds >= 0 AND isfinite(seconds) THEN seconds END,
      NOT (seconds >= 0 AND isfinite(seconds)), kind
    FROM fn_timings
    WHERE seconds IS NOT NULL AND thread IS NULL
  ),

  -- a rank without a function spent no time in it
  ranks AS (
    SELECT run_id, parallelism, repetition, count(DISTINCT coalesce(rank, -1)) AS ranks
    FROM fn_timings
    WHERE seconds IS NOT NULL
    GROUP BY ALL
  ),

  of_functions AS (
    SELECT
      run_id, parallelism, repetition, function,
      sum(seconds) AS seconds, bool_or(dropped) AS dropped, any_value(tool_kind) AS tool_kind
    FROM of_processes
    GROUP BY ALL
  )

SELECT
  m.run_id, m.parallelism, m.repetition, m.function, m.seconds / r.ranks AS seconds, m.dropped,
  m.tool_kind
FROM of_functions AS m
JOIN ranks AS r
  ON m.run_id = r.run_id AND m.parallelism IS NOT DISTINCT FROM r.parallelism
  AND m.repetition IS NOT DISTINCT FROM r.repetition;

CREATE OR REPLACE VIEW scaling_points AS -- One row is the time of one function of a set of runs at one parallelism and problem size.
WITH
  -- names of the kinds in tools
  spelling (name, kind) AS (
    VALUES
      ('computation', 'computation'), ('comp', 'computation'),
      ('blocking point-to-point', 'blocking point-to-point'),
      ('p2p_b', 'blocking point-to-point'),
      ('non-blocking point-to-point', 'non-blocking point-to-point'),
      ('p2p_nb', 'non-blocking point-to-point'),
      ('n-to-n collective', 'n-to-n collective'), ('n2n', 'n-to-n collective'),
      ('n-to-1 and 1-to-n collective', 'n-to-1 and 1-to-n collective'),
      ('n2one', 'n-to-1 and 1-to-n collective'), ('n-to-1', 'n-to-1 and 1-to-n collective'),
      ('1-to-n', 'n-to-1 and 1-to-n collective'), ('total', 'total')
  )

SELECT
  u.set_id, u.app, u.version, u.machine, m.function,
  coalesce(any_value(s.kind), any_value(c.kind)) AS kind, -- Kind: what the tool states where that is one of the kinds, else by function_classes.
  coalesce(m.parallelism, u.parallelism) AS parallelism, -- fn_timings.parallelism; where that is unknown what varies between the set's runs: ranks, threads per rank, their product where both vary, or nodes.
  u.problem_size,
  median(m.seconds) AS seconds, -- Own (exclusive) time, s: added up over call paths, the longest of the threads, mean over the ranks, median of the repetitions.
  min(m.seconds) AS fastest, -- Shortest repetition, s.
  max(m.seconds) AS slowest, -- Longest repetition, s.
  coalesce(stddev_samp(m.seconds) / nullif(avg(m.seconds), 0), 0) AS scatter, -- Standard deviation of the repetitions over their mean; 0 where there is only one.
  count(m.seconds) AS repetitions, -- Repetitions: of a run, and runs.
  bool_or(m.dropped) AS dropped -- Whether times below zero were left out.
FROM _function_measurements AS m
JOIN scaling_runs AS u USING (run_id)
JOIN function_classes AS c ON m.function = c.function
LEFT JOIN spelling AS s ON m.tool_kind = s.name
WHERE coalesce(m.parallelism, u.parallelism) IS NOT NULL
GROUP BY
  u.set_id, u.app, u.version, u.machine, m.function, coalesce(m.parallelism, u.parallelism),
  u.problem_size;
