-- key: set_id BIGINT
-- scope: set_id
-- reads: fn_timings, runs, function_kinds
-- requires: flags, settings, scaling_points
--
-- Sets of runs that are modelled together, and what is known of the problem they solved.

-- inputs
FROM _set_inputs((SELECT list(scope) FROM _scope));

-- rows
WITH
  sizes AS (
    SELECT DISTINCT
      r.set_id, r.app, r.version, r.machine, coalesce(t.parallelism, r.parallelism) AS parallelism,
      r.problem_size
    FROM (
      SELECT DISTINCT run_id, parallelism
      FROM fn_timings
      WHERE seconds IS NOT NULL
    ) AS t
    JOIN scaling_runs AS r USING (run_id)
    WHERE coalesce(t.parallelism, r.parallelism) IS NOT NULL
  ),

  counted AS (
    SELECT
      *,
      count(*) OVER (PARTITION BY set_id, parallelism) AS here,
      count(*) OVER (PARTITION BY set_id, problem_size) AS reach
    FROM sizes
  ),

  summed AS (
    SELECT
      set_id, app, version, machine,
      count(DISTINCT parallelism) AS counts,
      min(parallelism) AS smallest,
      max(parallelism) AS largest,
      count(DISTINCT problem_size) AS problem_sizes,
      max(here) > 1 AS crossed,
      arg_max(problem_size, (reach, problem_size)) AS widest,
      -- sums of logarithms differ in their last digits by the order of rows
      round(regr_slope(ln(problem_size), ln(parallelism)) FILTER (problem_size > 0), 9) AS growth
    FROM counted
    GROUP BY set_id, app, version, machine
  ),

  cores AS (
    SELECT
      set_id, app, version, machine,
      mode(parameter) AS parameter,
      mode(parameter_kind) AS known_kind,
      CASE
        WHEN mode(parameter_kind) IN ('blocks', 'size', 'other') THEN NULL
        WHEN count(parallelism) > 0 THEN median(cores / parallelism)
        ELSE 1
      END AS cores_each
    FROM scaling_runs
    GROUP BY ALL
  ),

  -- Whether the computation of a process takes as long at all counts.
  work AS (
    SELECT
      set_id,
      count(*) >= 3 AND max(parallelism) >= 4 * CAST(min(parallelism) AS BIGINT)
        AND max(seconds) < 1.25 * min(seconds)
        AND abs(regr_slope(ln(seconds), ln(parallelism))) < 0.1
        AS is_constant,
      bool_or(communicates) AS communicates
    FROM (
      SELECT
        set_id, parallelism,
        sum(seconds) FILTER (kind = 'computation') AS seconds,
        bool_or(kind NOT IN ('computation', 'total')) AS communicates
      FROM scaling_points
      GROUP BY ALL
    )
    WHERE seconds > 0
    GROUP BY set_id
  ),

  -- Sets of calls alone, as of benchmarks of MPI libraries: no work is divided over processes.
  calls AS (
    SELECT set_id, bool_and(kind NOT IN ('computation', 'total')) AS only_calls
    FROM scaling_points
    GROUP BY set_id
  ),

  -- Multiprocessors of the GPU that runs blocks, and whether the time of a run is known.
  capacities AS (
    SELECT
      set_id,
      max(TRY_CAST(r.tags['multiprocessors'] AS INTEGER)) AS capacity,
      coalesce(bool_or(r.wall_seconds > 0), false) AS is_timed
    FROM scaling_runs
    JOIN runs AS r USING (run_id)
    GROUP BY set_id
  ),

  tagged AS (
    SELECT
      s.set_id, s.app, s.version, s.machine, s.parallelism, s.problem_size, tag.key AS tag,
      tag.value AS told,
      avg(wall_seconds) AS seconds
    FROM scaling_runs AS s
    JOIN (
      SELECT run_id, wall_seconds, unnest(map_entries(tags)) AS tag
      FROM runs
      WHERE wall_seconds > 0
    ) AS r USING (run_id)
    GROUP BY ALL
  ),

  -- Tags by which runs taken as repetitions differ, with other times. A value found at one count
  -- only may be a measurement.
  mixed AS (
    SELECT
      set_id, app, version, machine,
      _flag('several_problems', MAP {
        'tags': array_to_string(list_sort(list(DISTINCT tag)), ', '),
        'ratio': printf('%.1f', max(ratio))
      }) AS flag
    FROM (
      SELECT
        *,
        count(*) OVER (PARTITION BY set_id, problem_size, tag, told) AS counts,
        max(seconds) OVER point / min(seconds) OVER point AS ratio
      FROM tagged
      WINDOW point AS (PARTITION BY set_id, parallelism, problem_size, tag)
    )
    WHERE counts > 1 AND ratio > 1.25
    GROUP BY ALL
  ),

  -- Sizes that do not change while the work of a process does not either are those of a process.
  judged AS (
    SELECT
      s.*, c.cores_each, c.parameter,
      CASE
        WHEN c.known_kind = 'processes' AND a.only_calls AND NOT k.is_timed THEN 'calls'
        ELSE c.known_kind
      END AS parameter_kind,
      CASE WHEN c.known_kind = 'blocks' THEN k.capacity END AS capacity,
      parameter_kind IN ('processes', 'threads', 'nodes', 'blocks') AS is_count,
      -- without communication, times that do not change may be those of a serial part
      problem_sizes <= 1 AND w.communicates AND w.is_constant
        AND c.known_kind IN ('processes', 'nodes')
        AS has_constant_work
    FROM summed AS s
    JOIN cores AS c ON s.set_id = c.set_id
    JOIN capacities AS k ON s.set_id = k.set_id
    LEFT JOIN calls AS a ON s.set_id = a.set_id
    LEFT JOIN work AS w ON s.set_id = w.set_id
  )

SELECT
  s.set_id, s.app, s.version, s.machine, parameter, parameter_kind, capacity,
  CASE
    WHEN has_constant_work OR (is_count AND problem_sizes > 1 AND NOT crossed AND growth > 0)
      THEN 'weak'
    ELSE 'strong'
  END AS scaling,
  is_count AND (problem_sizes = 0 OR coalesce(has_constant_work, false)) AS assumed,
  crossed,
  CASE WHEN crossed OR problem_sizes = 1 THEN widest END AS problem_size,
  problem_sizes, counts, smallest, largest, growth,
  cores_each,
  list_filter(
    [
      CASE
        WHEN NOT is_count THEN NULL
        WHEN has_constant_work
          THEN _flag('weak_assumed')
        WHEN problem_sizes = 0
          THEN _flag('scaling_assumed')
      END,
      CASE
        WHEN NOT is_count THEN NULL
        WHEN problem_sizes > 1 AND NOT crossed AND growth > 0 AND abs(growth - 1) > 0.25
          THEN _flag('weak_in_part', MAP {'growth': printf('%.2f', growth)})
        WHEN problem_sizes > 1 AND NOT crossed AND NOT coalesce(growth > 0, false)
          THEN _flag('sizes_differ')
      END,
      x.flag
    ],
    lambda flag: flag IS NOT NULL
  ) AS flags
FROM judged AS s
LEFT JOIN mixed AS x ON s.set_id = x.set_id;
