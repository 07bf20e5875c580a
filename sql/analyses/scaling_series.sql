-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: scaling_sets, fn_timings, runs, function_kinds
-- requires: flags, settings, scaling_points
--
-- The series that is modelled: a function's times at the set's own problem size, with what is wrong
-- with it.

-- inputs
FROM _set_inputs((SELECT list(scope) FROM _scope));

-- rows
WITH
  series AS (
    SELECT
      p.set_id, p.app, p.version, p.machine, p.function, any_value(p.kind) AS kind,
      coalesce(
        list_sort(
          list({'x': CAST(p.parallelism AS DOUBLE), 'y': p.seconds}) FILTER (p.seconds > 0)
        ),
        []
      ) AS points,
      -- One wild repetition at the last count makes no law.
      greatest(
        median(p.scatter) FILTER (p.repetitions > 1),
        arg_max(p.scatter, p.parallelism) FILTER (p.repetitions > 1)
      ) AS scatter,
      CAST(max(p.repetitions) AS INTEGER) AS repetitions,
      median(p.repetitions) AS usual_repetitions,
      count(*) AS measured,
      max(p.parallelism) AS last,
      max(p.parallelism) FILTER (p.seconds > 0 OR p.seconds IS NULL) AS last_above_zero,
      bool_or(p.seconds = 0 OR p.seconds IS NULL) AS has_zero,
      bool_or(p.dropped) AS has_negative,
      bool_or(p.repetitions > 1 AND p.slowest >= 10 * p.fastest AND p.slowest > 0) AS differs,
      any_value(s.counts) AS counts
    FROM scaling_points AS p
    JOIN scaling_sets AS s ON p.set_id = s.set_id
    WHERE NOT s.crossed OR p.problem_size = s.problem_size
    GROUP BY p.set_id, p.app, p.version, p.machine, p.function
  ),

  -- Of runs without a profile, of which only the wall time is known, functions know nothing.
  bounded AS (
    SELECT *, max(last) OVER (PARTITION BY set_id, kind = 'total') AS largest
    FROM series
  )

SELECT
  set_id, app, version, machine, function, kind,
  list_transform(points, lambda point: point['x']) AS x,
  list_transform(points, lambda point: point['y']) AS y,
  coalesce(_noise_of_median(scatter, usual_repetitions), 0) AS noise,
  repetitions,
  last_above_zero IS NOT DISTINCT FROM largest AS seen_last,
  kind <> 'total' OR bool_and(kind = 'total') OVER (PARTITION BY set_id)
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
FROM bounded;
