-- key: set_id BIGINT
-- scope: set_id
-- reads: fn_timings, runs
-- requires: flags, run_contents, scaling_points
--
-- Sets of runs that are modelled together, and what is known of the problem they solved.

-- inputs
SELECT
  CAST(g.set_id AS VARCHAR) AS key, CAST(g.set_id AS VARCHAR) AS scope,
  md5(
    concat_ws(
      chr(0), (FROM _scaling_settings),
      string_agg(
        concat_ws(
          ' ', r.run_id, c.digest, r.ranks, r.threads, r.nodes, r.problem_size, r.wall_seconds,
          CAST(r.tags AS VARCHAR)
        ),
        ',' ORDER BY r.run_id
      )
    )
  ) AS digest
FROM run_groups AS g
JOIN runs AS r ON g.run_id = r.run_id
JOIN _run_contents AS c ON g.run_id = c.run_id
WHERE CAST(g.set_id AS VARCHAR) IN (FROM _scope) AND c.rows['fn_timings'] > 0
GROUP BY g.set_id;

-- rows
SELECT _set_id(app, version, machine) AS set_id, *
FROM (
  WITH
    sizes AS (
      SELECT DISTINCT
        r.app, r.version, r.machine, coalesce(t.parallelism, r.parallelism) AS parallelism,
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
        count(*) OVER (PARTITION BY app, version, machine, parallelism) AS here,
        count(*) OVER (PARTITION BY app, version, machine, problem_size) AS reach
      FROM sizes
    ),

    summed AS (
      SELECT
        app, version, machine,
        count(DISTINCT parallelism) AS counts,
        min(parallelism) AS smallest,
        max(parallelism) AS largest,
        count(DISTINCT problem_size) AS problem_sizes,
        max(here) > 1 AS crossed,
        arg_max(problem_size, (reach, problem_size)) AS widest,
        regr_slope(ln(problem_size), ln(parallelism)) FILTER (problem_size > 0) AS growth
      FROM counted
      GROUP BY app, version, machine
    ),

    cores AS (
      SELECT
        app, version, machine,
        CASE WHEN count(parallelism) > 0 THEN median(cores / parallelism) ELSE 1 END AS cores_each
      FROM scaling_runs
      GROUP BY ALL
    ),

    tagged AS (
      SELECT
        s.app, s.version, s.machine, s.parallelism, s.problem_size, tag.key AS tag, tag.value AS told,
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
        app, version, machine,
        _flag('several_problems', MAP {
          'tags': array_to_string(list_sort(list(DISTINCT tag)), ', '),
          'ratio': printf('%.1f', max(ratio))
        }) AS flag
      FROM (
        SELECT
          *,
          count(*) OVER (PARTITION BY app, version, machine, problem_size, tag, told) AS counts,
          max(seconds) OVER point / min(seconds) OVER point AS ratio
        FROM tagged
        WINDOW point AS (PARTITION BY app, version, machine, parallelism, problem_size, tag)
      )
      WHERE counts > 1 AND ratio > 1.25
      GROUP BY ALL
    )

  SELECT
    s.app, s.version, s.machine,
    CASE WHEN problem_sizes > 1 AND NOT crossed AND growth > 0 THEN 'weak' ELSE 'strong' END
      AS scaling,
    problem_sizes = 0 AS assumed,
    crossed,
    CASE WHEN crossed OR problem_sizes = 1 THEN widest END AS problem_size,
    problem_sizes, counts, smallest, largest, growth,
    c.cores_each,
    list_filter(
      [
        CASE
          WHEN problem_sizes = 0
            THEN _flag('scaling_assumed')
        END,
        CASE
          WHEN problem_sizes > 1 AND NOT crossed AND growth > 0 AND abs(growth - 1) > 0.25
            THEN _flag('weak_in_part', MAP {'growth': printf('%.2f', growth)})
          WHEN problem_sizes > 1 AND NOT crossed AND NOT coalesce(growth > 0, false)
            THEN _flag('sizes_differ')
        END,
        x.flag
      ],
      lambda flag: flag IS NOT NULL
    ) AS flags
  FROM summed AS s
  JOIN cores AS c
    ON s.app IS NOT DISTINCT FROM c.app AND s.version IS NOT DISTINCT FROM c.version
    AND s.machine IS NOT DISTINCT FROM c.machine
  LEFT JOIN mixed AS x
    ON s.app IS NOT DISTINCT FROM x.app AND s.version IS NOT DISTINCT FROM x.version
    AND s.machine IS NOT DISTINCT FROM x.machine
);
