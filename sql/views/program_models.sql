-- requires: scaling_surfaces
--
-- Models of whole programs: the sum of their functions' models.
--
-- Functions without a model keep their share of the time at the largest count. Whole-run rows
-- (kind total) count only where nothing else was measured, so that no time counts twice.

-- One row is a set: the measured times of the program, and those predicted at the counts `ats`.
CREATE OR REPLACE MACRO _program_sums(ats) AS TABLE
WITH
  functions AS (
    SELECT
      *,
      seen_last AND len(x) >= 3 AS modelled,
      scaling_forecast(
        kind,
        CASE WHEN seen_last THEN x ELSE [] END,
        CASE WHEN seen_last THEN y ELSE [] END,
        noise,
        ats
      ) AS forecast
    FROM scaling_series
    WHERE in_program
  ),

  -- measured and predicted times, one below the other
  parts AS (
    SELECT
      app, version, machine, modelled, repetitions,
      len(list_filter(forecast['flags'], lambda flag: flag LIKE 'not extrapolatable%')) > 0
        AS unstable,
      unnest(
        list_transform(
          list_zip(x, y),
          lambda point: {'is_predicted': false, 'count': point[1], 'seconds': point[2], 'half': 0.0}
        ) || list_transform(
          list_zip(ats, forecast['seconds'], forecast['low'], forecast['high']),
          lambda point: {
            'is_predicted': true,
            'count': CAST(point[1] AS DOUBLE),
            'seconds': point[2],
            'half': ln(point[4] / point[3]) / 2 * point[2]
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
      sum(part['seconds']) FILTER (unstable) / sum(part['seconds']) AS unstable,
      sqrt((pow(sum(part['half']), 2) + sum(pow(part['half'], 2))) / 2) / sum(part['seconds'])
        AS half,
      count(*) AS functions,
      count(*) FILTER (modelled) AS modelled,
      max(repetitions) AS repetitions
    FROM parts
    WHERE part['seconds'] > 0
    GROUP BY ALL
  )

SELECT
  app, version, machine,
  list(count ORDER BY count) FILTER (NOT is_predicted) AS x,
  list(seconds ORDER BY count) FILTER (NOT is_predicted) AS y,
  coalesce(arg_max(covered, count) FILTER (NOT is_predicted), 0) AS covered,
  arg_max(functions, count) FILTER (NOT is_predicted) AS functions,
  arg_max(modelled, count) FILTER (NOT is_predicted) AS modelled,
  max(repetitions) AS repetitions,
  map_from_entries(
    coalesce(
      list({'key': count, 'value': {'seconds': seconds, 'half': half, 'unstable': unstable}})
        FILTER (is_predicted),
      []
    )
  ) AS predictions
FROM summed
GROUP BY app, version, machine;

-- The same with the model of the measured sum, the facts of the set and what to keep in mind.
CREATE OR REPLACE MACRO _programs(ats) AS TABLE
SELECT
  u.*,
  s.scaling, s.problem_size, s.smallest, s.largest, s.cores_each,
  s.flags || list_filter(
    [
      CASE
        WHEN u.covered < 0.999
          THEN printf(
            'functions without a model: %d of %d, %.1f %% of the time',
            u.functions - u.modelled, u.functions, 100 * (1 - u.covered)
          )
      END,
      CASE
        WHEN s.scaling = 'strong' AND s.largest >= 4 * s.smallest AND u.y[-1] > 0.8 * u.y[1]
          THEN 'the time hardly falls with the parallelism: perhaps the problem size is that of '
            || 'one process, and this weak scaling'
      END
    ],
    lambda flag: flag IS NOT NULL
  ) AS flags
FROM _program_sums(ats) AS u
JOIN scaling_sets AS s
  ON u.app IS NOT DISTINCT FROM s.app AND u.version IS NOT DISTINCT FROM s.version
  AND u.machine IS NOT DISTINCT FROM s.machine
WHERE u.x IS NOT NULL;

CREATE OR REPLACE VIEW program_models AS
WITH
  fitted AS (
    SELECT *, scaling_model('computation', x, y, 0.0) AS model
    FROM _programs(CAST([] AS BIGINT[]))
  )

SELECT
  app, version, machine,
  scaling, problem_size, smallest, largest,
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
  model['exponent'] AS exponent,
  flags || model['flags'] AS flags
FROM fitted;

COMMENT ON VIEW program_models IS 'One row is one set of runs (same application, version and machine) and its program as the sum of its functions.';
COMMENT ON COLUMN program_models.app IS 'Application.';
COMMENT ON COLUMN program_models.version IS 'Version.';
COMMENT ON COLUMN program_models.machine IS 'Machine.';
COMMENT ON COLUMN program_models.scaling IS 'strong or weak (scaling_sets.scaling).';
COMMENT ON COLUMN program_models.problem_size IS 'Problem size that is modelled (scaling_sets.problem_size).';
COMMENT ON COLUMN program_models.smallest IS 'Smallest parallelism measured.';
COMMENT ON COLUMN program_models.largest IS 'Largest parallelism measured.';
COMMENT ON COLUMN program_models.seconds_smallest IS 'Measured time at the smallest parallelism: own times of all functions, s.';
COMMENT ON COLUMN program_models.seconds_largest IS 'Measured time at the largest parallelism, s.';
COMMENT ON COLUMN program_models.functions IS 'Functions.';
COMMENT ON COLUMN program_models.modelled IS 'Functions that have a model.';
COMMENT ON COLUMN program_models.covered IS 'Their share of the time at the largest parallelism, 0..1.';
COMMENT ON COLUMN program_models.formula IS 'Best single formula of the sum, seconds by p. Predictions add up the functions'' (program_predict).';
COMMENT ON COLUMN program_models.parameters IS 'Its parameters: a*p^-b + c*p^d + e.';
COMMENT ON COLUMN program_models.r2 IS 'Coefficient of determination of the formula.';
COMMENT ON COLUMN program_models.smape IS 'Symmetric mean absolute percentage error of the formula, 0..2.';
COMMENT ON COLUMN program_models.cv_error IS 'Relative error with which the sum''s last counts are predicted from those before.';
COMMENT ON COLUMN program_models.points IS 'Counts that were used.';
COMMENT ON COLUMN program_models.repetitions IS 'Most repetitions at a count.';
COMMENT ON COLUMN program_models.exponent IS 'Slope of the sum from the largest count to twice that, in logarithms.';
COMMENT ON COLUMN program_models.flags IS 'What to keep in mind, in words.';

-- Up to the largest count the measured times are joined; beyond it predictions are added up.
CREATE OR REPLACE MACRO program_predict(p) AS TABLE
WITH
  wanted AS (
    SELECT coalesce(list_sort(list(DISTINCT CAST(count AS BIGINT))), []) AS counts
    FROM (SELECT unnest([p], recursive := true) AS count)
    WHERE count >= 1
  ),

  joined AS (
    SELECT
      *,
      scaling_forecast('computation', x, y, 0.0, (SELECT counts FROM wanted)) AS forecast,
      (SELECT counts FROM wanted) AS counts
    FROM _programs((SELECT counts FROM wanted))
  ),

  each AS (
    SELECT
      * EXCLUDE (forecast, counts),
      unnest(counts) AS parallelism,
      unnest(forecast['seconds']) AS seconds,
      unnest(forecast['low']) AS low,
      unnest(forecast['high']) AS high
    FROM joined
  ),

  chosen AS (
    SELECT
      *,
      parallelism > largest AS beyond,
      predictions[CAST(parallelism AS DOUBLE)] AS sum,
      CASE WHEN beyond THEN sum['seconds'] / nullif(covered, 0) ELSE seconds END AS predicted,
      CASE WHEN beyond THEN exp(-sum['half']) ELSE low / seconds END AS least,
      CASE WHEN beyond THEN exp(sum['half']) ELSE high / seconds END AS most,
      CASE WHEN beyond THEN sum['unstable'] END AS unstable
    FROM each
  )

SELECT
  app, version, machine, parallelism,
  predicted, predicted * least AS low, predicted * most AS high,
  y[1] / predicted * CASE WHEN scaling = 'weak' THEN parallelism / smallest ELSE 1 END AS speedup,
  y[1] / predicted * CASE WHEN scaling = 'weak' THEN 1 ELSE smallest / parallelism END
    AS efficiency,
  predicted * parallelism * cores_each / 3600 AS core_hours,
  flags || list_filter(
    [
      CASE WHEN len(x) < 3 THEN 'no model: fewer than three counts' END,
      CASE
        WHEN parallelism > 4 * largest
          THEN printf(
            'extrapolating %.3gx beyond the largest count (%d)', parallelism / largest, largest
          )
      END,
      CASE
        WHEN unstable > 0.2
          THEN printf(
            '%.0f %% of the predicted time is of functions that are not extrapolatable',
            100 * unstable
          )
      END
    ],
    lambda flag: flag IS NOT NULL
  ) AS flags
FROM chosen;

COMMENT ON MACRO TABLE program_predict IS 'One row is the time that a program is predicted to take at a parallelism: program_predict(512) or program_predict([512, 1024]); app, version, machine, parallelism, predicted (s: beyond the largest count the sum of the functions, up to it the measured times joined), low and high (90 % interval), speedup and efficiency against the smallest parallelism measured (of a weak scaling set: scaled speed-up), core_hours, flags.';
