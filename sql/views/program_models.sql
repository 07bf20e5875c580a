-- requires: imbalance, scaling_surfaces
--
-- Models of whole programs: of their wall time or slowest rank where these were measured, else the
-- sum of their functions' models.
--
-- In that sum functions without a model keep their share of the time at the largest count; its
-- interval reaches from none of their time to all that they took there. Where they take more than
-- half of it, there is no prediction.
-- Whole-run rows (kind total) count only where nothing else was measured, so that no time counts
-- twice.

-- Whether the flags of a function say that its prediction is not to be trusted.
CREATE OR REPLACE MACRO _are_doubtful(flags) AS
  len(list_filter(
    flags, lambda flag: flag LIKE 'not extrapolatable%' OR flag LIKE 'poor fit%'
  )) > 0;

CREATE OR REPLACE MACRO _doubtful_share(doubtful) AS
  CASE
    WHEN doubtful > 0.2 THEN [
      printf(
        '%.0f %% of the predicted time is of functions with a poor fit or not extrapolatable',
        100 * doubtful
      )
    ]
    ELSE CAST([] AS VARCHAR[])
  END;

CREATE OR REPLACE MACRO _without_model(missing, functions, covered) AS
  printf(
    'functions without a model: %d of %d, %.1f %% of the time',
    missing, functions, 100 * (1 - covered)
  );

CREATE OR REPLACE VIEW program_times AS
WITH
  whole AS (
    SELECT function FROM function_classes WHERE kind = 'total'
  ),

  of_threads AS (
    SELECT
      run_id, parallelism, repetition, rank, thread,
      sum(seconds) FILTER (seconds >= 0 AND isfinite(seconds)) AS own,
      max(inclusive_seconds) FILTER (isfinite(inclusive_seconds)) AS outermost
    FROM fn_timings
    WHERE kind IS DISTINCT FROM 'total' AND function NOT IN (FROM whole)
    GROUP BY ALL
  ),

  of_ranks AS (
    SELECT run_id, parallelism, repetition, rank, sum(seconds) FILTER (valid) AS seconds
    FROM _rank_parts
    WHERE tool_kind IS DISTINCT FROM 'total' AND function NOT IN (FROM whole)
    GROUP BY ALL
  ),

  slowest AS (
    SELECT run_id, parallelism, repetition, max(seconds) AS seconds, count(*) AS ranks
    FROM of_ranks
    GROUP BY ALL
  ),

  measurements AS (
    SELECT
      run_id, parallelism, repetition, max(own) AS own, max(outermost) AS outermost,
      count(*) OVER (PARTITION BY run_id) AS of_run
    FROM of_threads
    GROUP BY run_id, parallelism, repetition
  ),

  -- what each measurement has, the best first
  sources AS (
    SELECT
      u.app, u.version, u.machine, coalesce(m.parallelism, u.parallelism) AS parallelism,
      unnest([
        {'place': 1, 'seconds': CASE WHEN m.of_run = 1 THEN r.wall_seconds END},
        -- less than the own times together is not the time of the outermost function
        {'place': 2, 'seconds': CASE WHEN m.outermost >= 0.99 * m.own THEN m.outermost END},
        -- one rank of several need not be the slowest
        {
          'place': 3,
          'seconds':
            CASE
              WHEN w.ranks > 1 OR r.ranks = 1 OR coalesce(m.parallelism, u.parallelism) = 1
                THEN w.seconds
            END
        }
      ]) AS source
    FROM measurements AS m
    JOIN runs AS r ON m.run_id = r.run_id
    JOIN scaling_runs AS u ON m.run_id = u.run_id
    JOIN scaling_sets AS s
      ON u.app IS NOT DISTINCT FROM s.app AND u.version IS NOT DISTINCT FROM s.version
      AND u.machine IS NOT DISTINCT FROM s.machine
    LEFT JOIN slowest AS w
      ON m.run_id = w.run_id AND m.parallelism IS NOT DISTINCT FROM w.parallelism
      AND m.repetition IS NOT DISTINCT FROM w.repetition
    WHERE NOT s.crossed OR u.problem_size = s.problem_size
  ),

  -- sums of functions, and times of whole runs, also of those that have no profile
  points AS (
    SELECT
      app, version, machine, kind = 'total' AS is_whole, noise,
      unnest(x) AS parallelism, unnest(y) AS seconds
    FROM scaling_series
  ),

  summed AS (
    SELECT
      app, version, machine, CAST(parallelism AS BIGINT) AS parallelism,
      CASE WHEN is_whole THEN 1 ELSE 4 END AS place,
      CASE WHEN is_whole THEN max(seconds) ELSE sum(seconds) END AS seconds,
      CASE WHEN is_whole THEN max(noise) ELSE 0 END AS scatter
    FROM points
    GROUP BY app, version, machine, parallelism, is_whole
  ),

  candidates AS (
    SELECT
      app, version, machine, parallelism, source['place'] AS place,
      median(source['seconds']) AS seconds,
      coalesce(stddev_samp(source['seconds']) / avg(source['seconds']), 0) AS scatter
    FROM sources
    WHERE source['seconds'] > 0 AND isfinite(source['seconds'])
    GROUP BY app, version, machine, parallelism, source['place']
    UNION ALL
    SELECT app, version, machine, parallelism, place, seconds, scatter
    FROM summed
  ),

  known AS (
    SELECT
      app, version, machine, parallelism, place,
      avg(seconds) AS seconds, max(scatter) AS scatter,
      count(*) OVER (PARTITION BY app, version, machine, place) AS counts,
      max(parallelism) OVER (PARTITION BY app, version, machine, place) AS last
    FROM candidates
    GROUP BY app, version, machine, parallelism, place
  )

-- one basis for all counts: that which reaches farthest, is known at most of them and is the best
SELECT
  app, version, machine, parallelism,
  CASE place
    WHEN 3 THEN 'slowest rank'
    WHEN 4 THEN 'sum of rank means'
    ELSE 'wall time'
  END AS basis,
  seconds, scatter
FROM known
QUALIFY place = arg_min(place, (-last, -counts, place)) OVER (PARTITION BY app, version, machine);

COMMENT ON VIEW program_times IS 'One row is the measured time of the program of a set of runs (same application, version and machine) at one parallelism.';
COMMENT ON COLUMN program_times.app IS 'Application.';
COMMENT ON COLUMN program_times.version IS 'Version.';
COMMENT ON COLUMN program_times.machine IS 'Machine.';
COMMENT ON COLUMN program_times.parallelism IS 'Parallelism, as in scaling_points.';
COMMENT ON COLUMN program_times.basis IS 'What the time is, the same at all counts of a set: wall time (runs.wall_seconds, else the inclusive time of the outermost function), else slowest rank (own times of its functions added up), else sum of rank means (of each function the mean over ranks, added up: cost rather than time).';
COMMENT ON COLUMN program_times.seconds IS 'Time, s; median of the repetitions.';
COMMENT ON COLUMN program_times.scatter IS 'Standard deviation of the repetitions over their mean; 0 where there is only one, and for a sum of rank means.';

-- One row is the series of a program that is modelled. A program of one function is that function.
-- No points where it took no time at the largest count, as for functions.
CREATE OR REPLACE VIEW _program_series AS
WITH
  series AS (
    SELECT
      app, version, machine, any_value(basis) AS basis,
      any_value(basis) = 'sum of rank means' AS is_sum,
      list(CAST(parallelism AS DOUBLE) ORDER BY parallelism) AS x,
      list(seconds ORDER BY parallelism) AS y,
      coalesce(median(scatter) FILTER (scatter > 0), 0) AS noise
    FROM program_times
    GROUP BY app, version, machine
  ),

  lone AS (
    SELECT app, version, machine, any_value(kind) AS kind, any_value(noise) AS noise
    FROM scaling_series
    WHERE in_program
    GROUP BY app, version, machine
    HAVING count(*) = 1
  )

SELECT
  s.app, s.version, s.machine, s.basis,
  s.is_sum AND l.kind IS NULL AS is_sum,
  CASE WHEN s.is_sum AND l.kind IS NOT NULL THEN l.kind ELSE 'computation' END AS kind,
  CASE WHEN s.x[-1] = t.largest THEN s.x ELSE [] END AS x,
  CASE WHEN s.x[-1] = t.largest THEN s.y ELSE [] END AS y,
  CASE WHEN s.is_sum AND l.kind IS NOT NULL THEN l.noise ELSE s.noise END AS noise
FROM series AS s
JOIN scaling_sets AS t
  ON s.app IS NOT DISTINCT FROM t.app AND s.version IS NOT DISTINCT FROM t.version
  AND s.machine IS NOT DISTINCT FROM t.machine
LEFT JOIN lone AS l
  ON s.app IS NOT DISTINCT FROM l.app AND s.version IS NOT DISTINCT FROM l.version
  AND s.machine IS NOT DISTINCT FROM l.machine;

-- One row is a set: what the sum of its functions is predicted to take at the counts `ats`, where
-- that is the prediction of the program.
CREATE OR REPLACE MACRO _program_sums(ats) AS TABLE
WITH
  functions AS (
    SELECT
      f.*,
      f.seen_last AND len(f.x) >= 3 AS modelled,
      scaling_forecast(
        f.kind,
        CASE WHEN f.seen_last AND p.is_sum THEN f.x ELSE [] END,
        CASE WHEN f.seen_last AND p.is_sum THEN f.y ELSE [] END,
        f.noise,
        ats
      ) AS forecast
    FROM scaling_series AS f
    LEFT JOIN _program_series AS p
      ON f.app IS NOT DISTINCT FROM p.app AND f.version IS NOT DISTINCT FROM p.version
      AND f.machine IS NOT DISTINCT FROM p.machine
    WHERE f.in_program
  ),

  -- measured and predicted times, one below the other
  parts AS (
    SELECT
      app, version, machine, modelled, repetitions,
      _are_doubtful(forecast['flags']) AS doubtful,
      unnest(
        list_transform(
          list_zip(x, y),
          lambda point: {
            'is_predicted': false, 'count': point[1], 'seconds': point[2], 'down': 0.0, 'up': 0.0
          }
        ) || list_transform(
          list_zip(ats, forecast['seconds'], forecast['low'], forecast['high']),
          lambda point: {
            'is_predicted': true,
            'count': CAST(point[1] AS DOUBLE),
            'seconds': point[2],
            'down': ln(point[2] / point[3]) * point[2],
            'up': ln(point[4] / point[2]) * point[2]
          }
        )
      ) AS part
    FROM functions
  ),

  -- errors of functions are partly correlated: half way between fully and not at all
  summed AS (
    SELECT
      app, version, machine, part['is_predicted'] AS is_predicted, part['count'] AS count,
      sum(part['seconds']) AS seconds,
      sum(part['seconds']) FILTER (modelled) / sum(part['seconds']) AS covered,
      sum(part['seconds']) FILTER (doubtful) / sum(part['seconds']) AS doubtful,
      sqrt((pow(sum(part['down']), 2) + sum(pow(part['down'], 2))) / 2) / sum(part['seconds'])
        AS down,
      sqrt((pow(sum(part['up']), 2) + sum(pow(part['up'], 2))) / 2) / sum(part['seconds']) AS up,
      count(*) AS functions,
      count(*) FILTER (modelled) AS modelled,
      max(repetitions) AS repetitions
    FROM parts
    WHERE part['seconds'] > 0
    GROUP BY ALL
  )

SELECT
  app, version, machine,
  coalesce(arg_max(covered, count) FILTER (NOT is_predicted), 0) AS covered,
  arg_max(functions, count) FILTER (NOT is_predicted) AS functions,
  arg_max(modelled, count) FILTER (NOT is_predicted) AS modelled,
  max(repetitions) AS repetitions,
  map_from_entries(
    coalesce(
      list({
        'key': count,
        'value': {'seconds': seconds, 'down': down, 'up': up, 'doubtful': doubtful}
      }) FILTER (is_predicted),
      []
    )
  ) AS predictions
FROM summed
GROUP BY app, version, machine;

-- One row is a set: its measured times, what it is predicted to take at the counts `ats`, the facts
-- of the set and what to keep in mind. Up to the largest count the measured times are joined.
-- `ats` is evaluated at each place where it is used: it has to be in the same order each time.
CREATE OR REPLACE MACRO _programs(ats) AS TABLE
WITH
  forecasts AS (
    SELECT
      t.* EXCLUDE (app, version, machine), u.*,
      s.scaling, s.problem_size, s.smallest, s.largest, s.cores_each, s.flags AS assumptions,
      scaling_forecast(t.kind, t.x, t.y, t.noise, ats) AS forecast
    FROM _program_series AS t
    JOIN _program_sums(ats) AS u
      ON t.app IS NOT DISTINCT FROM u.app AND t.version IS NOT DISTINCT FROM u.version
      AND t.machine IS NOT DISTINCT FROM u.machine
    JOIN scaling_sets AS s
      ON u.app IS NOT DISTINCT FROM s.app AND u.version IS NOT DISTINCT FROM s.version
      AND u.machine IS NOT DISTINCT FROM s.machine
  )

SELECT
  * EXCLUDE (assumptions, predictions, forecast),
  list_transform(
    list_zip(
      ats, forecast['seconds'], forecast['low'], forecast['high'],
      list_transform(ats, lambda count: predictions[CAST(count AS DOUBLE)])
    ),
    lambda point:
      CASE
        WHEN is_sum AND point[1] > largest THEN {
          'count': CAST(point[1] AS BIGINT),
          'seconds': CASE WHEN covered >= 0.5 THEN point[5]['seconds'] / covered END,
          'low': CASE WHEN covered >= 0.5 THEN point[5]['seconds'] * exp(-point[5]['down']) END,
          'high': CASE
            WHEN covered >= 0.5 THEN
              point[5]['seconds'] * exp(point[5]['up'])
              + (1 - covered) * greatest(point[5]['seconds'] / covered, y[-1])
          END,
          'doubtful': point[5]['doubtful']
        }
        ELSE {
          'count': CAST(point[1] AS BIGINT), 'seconds': point[2], 'low': point[3],
          'high': point[4], 'doubtful': NULL
        }
      END
  ) AS predictions,
  CASE WHEN is_sum THEN [] ELSE list_filter(
    forecast['flags'], lambda flag: NOT starts_with(flag, 'no model')
  ) END AS doubts,
  assumptions || list_filter(
    [
      CASE WHEN len(x) = 0 THEN 'no model: no time was measured at the largest count' END,
      CASE
        WHEN is_sum AND covered < 0.999
          THEN _without_model(functions - modelled, functions, covered)
      END,
      CASE
        WHEN scaling = 'strong' AND largest >= 4 * CAST(smallest AS BIGINT)
          AND list_min(y) > 0.8 * y[1] AND list_max(y) < 2 * y[1]
          THEN 'the time hardly falls with the parallelism: perhaps the problem size is that of '
            || 'one process, and this weak scaling'
      END
    ],
    lambda flag: flag IS NOT NULL
  ) AS flags
FROM forecasts;

CREATE OR REPLACE VIEW program_turning_points AS
WITH
  found AS (
    SELECT
      app, version, machine, basis, x,
      -- several counts are as fast, up to the last digits
      list_transform(
        list_filter(list_zip(x, y), lambda point: point[2] <= list_min(y) * (1 + 1e-6)),
        lambda point: point[1]
      ) AS fastest,
      scaling_turning_point(x, y, noise) AS point,
      list_filter(
        predictions,
        lambda place:
          place['count'] BETWEEN x[1] AND 64 * x[-1]
          AND place['low'] IS NOT NULL AND place['high'] IS NOT NULL
      ) AS places
    FROM _programs((
      SELECT list_sort(list(DISTINCT CAST(round(pow(2, step / 2)) AS BIGINT)))
      FROM range((SELECT CAST(2 * ceil(log2(64 * max(largest))) AS BIGINT) + 1 FROM scaling_sets))
        AS t (step)
    ))
  ),

  -- no measured count above the interval is faster, and none below it slower than one further below
  within AS (
    SELECT
      * EXCLUDE (places),
      CASE
        WHEN point['low'] >= list_filter(x, lambda count: count > fastest[-1])[1] THEN fastest[-1]
        ELSE point['low']
      END AS low,
      CASE WHEN point['high'] < fastest[1] THEN fastest[1] ELSE point['high'] END AS high,
      list_sort(places) AS places,
      list_min(list_transform(places, lambda place: place['high'])) AS least
    FROM found
  )

SELECT
  app, version, machine, basis,
  CAST(fastest[-1] AS BIGINT) AS fastest,
  low,
  -- predictions of sums of functions know more of what is beyond than the sums that were measured
  CASE
    WHEN low IS NULL OR high IS NOT NULL THEN high
    ELSE list_filter(
      places,
      lambda place: place['count'] > list_max(list_transform(
        list_filter(places, lambda other: other['low'] <= least), lambda other: other['count']
      ))
    )[1]['count']
  END AS high,
  point['flags'] AS flags
FROM within;

COMMENT ON VIEW program_turning_points IS 'One row is one set of runs (same application, version and machine) and the count beyond which more processes make its program slower. The same holds of weak scaling, where the problem grows, too.';
COMMENT ON COLUMN program_turning_points.app IS 'Application.';
COMMENT ON COLUMN program_turning_points.version IS 'Version.';
COMMENT ON COLUMN program_turning_points.machine IS 'Machine.';
COMMENT ON COLUMN program_turning_points.basis IS 'What the time is (program_times.basis).';
COMMENT ON COLUMN program_turning_points.fastest IS 'The measured count with the shortest time; of equal times the largest.';
COMMENT ON COLUMN program_turning_points.low IS 'Lower end of the 90 % interval of the fastest count, measured or not. NULL where it is unknown, for the reason in flags.';
COMMENT ON COLUMN program_turning_points.high IS 'Upper end, at most the first count, of two an octave, from which on the intervals of program_predict leave none that may be the fastest; NULL where it is unknown, or where the program may get faster up to 64 times the largest count, or is measured and predicted to.';
COMMENT ON COLUMN program_turning_points.flags IS 'What to keep in mind: no model, too few points, outlier, poor fit, not extrapolatable (as in scaling_models.flags).';

-- The value at p of a formula of kind computation, by its parameters.
CREATE OR REPLACE MACRO _formula_value(parameters, p) AS
  coalesce(parameters['e'], 0)
  + coalesce(parameters['a'] * pow(p, -parameters['b']), 0)
  + coalesce(
    parameters['c'] * pow(p, parameters['d'])
      * pow(log2(p), coalesce(parameters['log_exponent'], 0)),
    0
  )
  + coalesce(parameters['limit'] * p / (p + parameters['half']), 0);

CREATE OR REPLACE VIEW program_models AS
WITH
  fitted AS (
    SELECT
      *,
      scaling_model(kind, x, y, noise) AS model,
      list_filter(predictions, lambda point: point['count'] / largest IN (2, 4, 8)) AS ahead
    FROM _programs((
      SELECT list_sort(list(DISTINCT largest * k))
      FROM scaling_sets
      CROSS JOIN unnest([2, 4, 8]) AS t (k)
    ))
  ),

  compared AS (
    SELECT
      *,
      list_max(list_transform(
        ahead,
        lambda point: exp(abs(ln(
          _formula_value(model['parameters'], point['count']) / point['seconds']
        ))) - 1
      )) AS apart
    FROM fitted
  )

SELECT
  app, version, machine,
  scaling, basis, problem_size, smallest, largest,
  y[1] AS seconds_smallest,
  y[-1] AS seconds_largest,
  functions, modelled, covered,
  model['formula'] AS formula,
  model['parameters'] AS parameters,
  model['r2'] AS r2,
  model['smape'] AS smape,
  model['cv_error'] AS cv_error,
  model['points'] AS points,
  repetitions,
  CASE
    WHEN is_sum
      THEN
        log2(list_filter(ahead, lambda point: point['count'] = 2 * largest)[1]['seconds'] / y[-1])
    ELSE model['exponent']
  END AS exponent,
  flags
  || list_filter(
    CASE WHEN len(x) > 0 THEN model['flags'] ELSE [] END,
    lambda flag: NOT (is_sum AND starts_with(flag, 'formula_disagrees'))
  )
  || CASE
    WHEN is_sum AND apart > 0.1 THEN [
      printf(
        'formula_disagrees: up to %.0f %% off the prediction, which is the sum of the functions',
        100 * apart
      )
    ]
    ELSE []
  END AS flags
FROM compared;

COMMENT ON VIEW program_models IS 'One row is one set of runs (same application, version and machine) and how the time of its program changes with the parallelism p.';
COMMENT ON COLUMN program_models.app IS 'Application.';
COMMENT ON COLUMN program_models.version IS 'Version.';
COMMENT ON COLUMN program_models.machine IS 'Machine.';
COMMENT ON COLUMN program_models.scaling IS 'strong or weak (scaling_sets.scaling).';
COMMENT ON COLUMN program_models.basis IS 'What the time is: wall time, slowest rank or sum of rank means (program_times.basis).';
COMMENT ON COLUMN program_models.problem_size IS 'Problem size that is modelled (scaling_sets.problem_size).';
COMMENT ON COLUMN program_models.smallest IS 'Smallest parallelism measured.';
COMMENT ON COLUMN program_models.largest IS 'Largest parallelism measured.';
COMMENT ON COLUMN program_models.seconds_smallest IS 'Measured time at the smallest parallelism (program_times.seconds), s.';
COMMENT ON COLUMN program_models.seconds_largest IS 'Measured time at the largest parallelism, s.';
COMMENT ON COLUMN program_models.functions IS 'Functions.';
COMMENT ON COLUMN program_models.modelled IS 'Functions that have a model.';
COMMENT ON COLUMN program_models.covered IS 'Their share of the time at the largest parallelism, 0..1.';
COMMENT ON COLUMN program_models.formula IS 'Formula of the time, seconds by p. It is what program_predict predicts, unless formula_disagrees is among the flags: more than 10 % off up to eight times the largest count.';
COMMENT ON COLUMN program_models.parameters IS 'Its parameters, as in scaling_models: a*p^-b + c*p^d + e, or those of the kind of the only function.';
COMMENT ON COLUMN program_models.r2 IS 'Coefficient of determination of the formula.';
COMMENT ON COLUMN program_models.smape IS 'Symmetric mean absolute percentage error of the formula, 0..2.';
COMMENT ON COLUMN program_models.cv_error IS 'Relative error with which the last counts of the measured times are predicted from those before; NULL where a law follows from four counts and not from three.';
COMMENT ON COLUMN program_models.points IS 'Counts that were used.';
COMMENT ON COLUMN program_models.repetitions IS 'Most repetitions at a count.';
COMMENT ON COLUMN program_models.exponent IS 'Slope of the prediction from the largest count to twice that, in logarithms.';
COMMENT ON COLUMN program_models.flags IS 'What to keep in mind, in words.';

-- Whether a predicted time does not follow from the measured ones: nothing follows from it then.
CREATE OR REPLACE MACRO _is_guess(count, largest, low, high, flags) AS
  count > largest
  AND (
    coalesce(NOT high <= 10 * low, false)
    OR len(list_filter(
      flags,
      lambda flag: starts_with(flag, 'not extrapolatable') OR starts_with(flag, 'poor fit')
        OR starts_with(flag, 'perhaps several problems')
    )) > 0
  );

CREATE OR REPLACE MACRO program_predict(p) AS TABLE
WITH
  each AS (
    SELECT * EXCLUDE (predictions), unnest(predictions) AS point
    FROM _programs(_counts(p))
  ),

  named AS (
    SELECT
      * EXCLUDE (flags),
      point['count'] AS parallelism, point['seconds'] AS predicted, point['low'] AS low,
      point['high'] AS high,
      flags || doubts || _far_beyond(point['seconds'], point['count'], largest)
        || CASE WHEN len(x) IN (1, 2) THEN ['no model: fewer than three counts'] ELSE [] END
        || _doubtful_share(point['doubtful']) AS flags
    FROM each
  ),

  trusted AS (
    SELECT
      *, CASE WHEN NOT _is_guess(parallelism, largest, low, high, flags) THEN predicted END AS known
    FROM named
  )

SELECT
  app, version, machine, parallelism, basis,
  predicted, low, high,
  y[1] / known * CASE WHEN scaling = 'weak' THEN parallelism / x[1] ELSE 1 END AS speedup,
  y[1] / known * CASE WHEN scaling = 'weak' THEN 1 ELSE x[1] / parallelism END AS efficiency,
  known * parallelism * cores_each / 3600 AS core_hours,
  flags
FROM trusted;

COMMENT ON MACRO TABLE program_predict IS 'One row is the time that a program is predicted to take at a parallelism: program_predict(512) or program_predict([512, 1024]); app, version, machine, parallelism, basis (program_times.basis), predicted (s: up to the largest count the measured times joined; beyond it by their own model, of a sum of rank means the sum of the functions'' predictions), low and high (90 % interval), speedup and efficiency against the smallest parallelism with a time above 0 (of a weak scaling set: scaled speed-up), core_hours (NULL where the cores of a node are unknown); these are NULL where the time is a guess: beyond the largest count, with an interval that spans a factor of 10 or with a flag of a poor fit, of what is not extrapolatable or of several problems; flags.';
