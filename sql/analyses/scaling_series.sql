-- key: set_id BIGINT
-- scope: set_id
-- reads: scaling_sets, fn_timings, runs, function_kinds
-- requires: flags, run_contents, scaling_points
--
-- The series that is modelled: a function's times at the set's own problem size, with what is wrong with it.
-- The series that is modelled: a function's times at the set's own problem size, with what is wrong
-- with it.

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
    series AS (
      SELECT
        p.app, p.version, p.machine, p.function, any_value(p.kind) AS kind,
        coalesce(
          list_sort(
            list({'x': CAST(p.parallelism AS DOUBLE), 'y': p.seconds}) FILTER (p.seconds > 0)
          ),
          []
        ) AS points,
        median(p.scatter) FILTER (p.repetitions > 1) AS scatter,
        CAST(max(p.repetitions) AS INTEGER) AS repetitions,
        count(*) AS measured,
        max(p.parallelism) AS last,
        max(p.parallelism) FILTER (p.seconds > 0 OR p.seconds IS NULL) AS last_above_zero,
        bool_or(p.seconds = 0 OR p.seconds IS NULL) AS has_zero,
        bool_or(p.dropped) AS has_negative,
        bool_or(p.repetitions > 1 AND p.slowest >= 10 * p.fastest AND p.slowest > 0) AS differs,
        any_value(s.counts) AS counts
      FROM scaling_points AS p
      JOIN scaling_sets AS s
        ON p.app IS NOT DISTINCT FROM s.app AND p.version IS NOT DISTINCT FROM s.version
        AND p.machine IS NOT DISTINCT FROM s.machine
      WHERE NOT s.crossed OR p.problem_size = s.problem_size
      GROUP BY p.app, p.version, p.machine, p.function
    ),

    -- Of runs without a profile, of which only the wall time is known, functions know nothing.
    bounded AS (
      SELECT *, max(last) OVER (PARTITION BY app, version, machine, kind = 'total') AS largest
      FROM series
    )

  SELECT
    app, version, machine, function, kind,
    list_transform(points, lambda point: point['x']) AS x,
    list_transform(points, lambda point: point['y']) AS y,
    coalesce(scatter, 0) AS noise,
    repetitions,
    last_above_zero IS NOT DISTINCT FROM largest AS seen_last,
    kind <> 'total' OR bool_and(kind = 'total') OVER (PARTITION BY app, version, machine)
      AS in_program,
    list_filter(
      [
        CASE
          WHEN last < largest
            THEN _flag('no_model_stopped', MAP {
              'last': CAST(last AS VARCHAR), 'largest': CAST(largest AS VARCHAR)
            })
          WHEN last_above_zero IS NULL THEN _flag('no_model_zero')
          WHEN last_above_zero < largest
            THEN _flag('no_model_zero_last', MAP {
              'last': CAST(last_above_zero AS VARCHAR), 'largest': CAST(largest AS VARCHAR)
            })
        END,
        CASE WHEN has_zero THEN _flag('zero_times') END,
        CASE WHEN has_negative THEN _flag('negative_times') END,
        CASE
          WHEN measured < counts
            THEN _flag('missing_counts', MAP {
              'measured': CAST(measured AS VARCHAR), 'counts': CAST(counts AS VARCHAR)
            })
        END,
        CASE
          WHEN scatter > 0.2
            THEN _flag('noise', MAP {'scatter': printf('%.0f %%', 100 * scatter)})
        END,
        CASE WHEN differs THEN _flag('repetitions_differ') END
      ],
      lambda flag: flag IS NOT NULL
    ) AS flags
  FROM bounded
);
