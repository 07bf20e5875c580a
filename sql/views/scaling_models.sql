-- requires: scaling_sets
--
-- Models of functions: how their time changes with the parallelism.

-- The model of a series (scaling_series).
CREATE OR REPLACE MACRO _fitted(kind, seen_last, x, y, noise) AS
  scaling_model(
    kind, CASE WHEN seen_last THEN x ELSE [] END, CASE WHEN seen_last THEN y ELSE [] END, noise
  );

-- What to keep in mind of a series, its model and its set of runs.
CREATE OR REPLACE MACRO _model_flags(series_flags, seen_last, model, set_flags) AS
  series_flags || CASE WHEN seen_last THEN model['flags'] ELSE [] END || set_flags;

CREATE OR REPLACE VIEW scaling_models AS
WITH
  fitted AS (
    SELECT *, _fitted(kind, seen_last, x, y, noise) AS model FROM scaling_series
  )

SELECT
  f.app, f.version, f.machine, f.function, f.kind,
  f.model['formula'] AS formula,
  f.model['parameters'] AS parameters,
  f.model['r2'] AS r2,
  f.model['smape'] AS smape,
  f.model['cv_error'] AS cv_error,
  CASE WHEN f.seen_last THEN f.model['points'] ELSE len(f.x) END AS points,
  f.repetitions,
  f.model['exponent'] AS exponent,
  f.model['exponent_low'] AS exponent_low,
  f.model['exponent_high'] AS exponent_high,
  s.scaling,
  _model_flags(f.flags, f.seen_last, f.model, s.flags) AS flags
FROM fitted AS f
JOIN scaling_sets AS s
  ON f.app IS NOT DISTINCT FROM s.app AND f.version IS NOT DISTINCT FROM s.version
  AND f.machine IS NOT DISTINCT FROM s.machine;

COMMENT ON VIEW scaling_models IS 'One row is one function of a set of runs (same application, version and machine), and how its time changes with the parallelism p.';
COMMENT ON COLUMN scaling_models.app IS 'Application.';
COMMENT ON COLUMN scaling_models.version IS 'Version.';
COMMENT ON COLUMN scaling_models.machine IS 'Machine.';
COMMENT ON COLUMN scaling_models.function IS 'Function.';
COMMENT ON COLUMN scaling_models.kind IS 'Kind, which decides the terms that the model may have.';
COMMENT ON COLUMN scaling_models.formula IS 'The law by which scaling_predict predicts beyond the largest count, seconds by p. Where no law is carried by the points a mixture of models predicts: then it is the formula nearest to that, and formula_disagrees is among the flags if it is more than 10 % off up to eight times the largest count. NULL where there is no model.';
COMMENT ON COLUMN scaling_models.parameters IS 'Parameters of the formula, by the letters of the kind''s basis. computation and non-blocking point-to-point: a*p^-b + c*p^d + e; blocking point-to-point: a*p^b + c*log2(p) + d; n-to-n: a*log2(p) + b*p^c + d; n-to-1 and 1-to-n: (a*p^b + c)*log2(p) + d; the last three may have g*p^-h too. log_exponent is the power of log2(p) in the growing term; limit and half are those of limit*p/(p + half).';
COMMENT ON COLUMN scaling_models.r2 IS 'Coefficient of determination of the formula at the measured points; NULL where all times are the same.';
COMMENT ON COLUMN scaling_models.smape IS 'Symmetric mean absolute percentage error of the formula at the measured points, 0..2.';
COMMENT ON COLUMN scaling_models.cv_error IS 'Relative error of the last counts as the model predicts them from those before; NULL where a law follows from four counts and not from three.';
COMMENT ON COLUMN scaling_models.points IS 'Counts that were used.';
COMMENT ON COLUMN scaling_models.repetitions IS 'Most repetitions at a count.';
COMMENT ON COLUMN scaling_models.exponent IS 'Slope of the prediction from the largest count to twice that, in logarithms: -1 is perfect strong scaling, 0 a constant.';
COMMENT ON COLUMN scaling_models.exponent_low IS 'Lower end of the exponent''s 90 % interval.';
COMMENT ON COLUMN scaling_models.exponent_high IS 'Upper end of the exponent''s 90 % interval.';
COMMENT ON COLUMN scaling_models.scaling IS 'strong or weak (scaling_sets.scaling).';
COMMENT ON COLUMN scaling_models.flags IS 'What to keep in mind, in words: no model, too few points, outlier, zero times dropped, missing counts, noise, repetitions differ tenfold, poor fit (no smooth law comes within 20 % of the points), formula_disagrees, not extrapolatable, scaling assumed.';

-- What to keep in mind of a prediction far beyond the measured counts, a list.
CREATE OR REPLACE MACRO _far_beyond(predicted, parallelism, largest) AS
  CASE
    WHEN predicted IS NOT NULL AND parallelism > 4 * CAST(largest AS BIGINT) THEN [
      printf(
        'extrapolating %.3gx beyond the largest count (%d)',
        parallelism / largest, CAST(largest AS BIGINT)
      )
    ]
    ELSE CAST([] AS VARCHAR[])
  END;

-- The counts that p is, one or a list: ascending, each once.
CREATE OR REPLACE MACRO _counts(p) AS (
  SELECT coalesce(list_sort(list(DISTINCT CAST(count AS BIGINT))), [])
  FROM (SELECT unnest([p], recursive := true) AS count)
  WHERE count >= 1
);

-- What is asked of some functions is computed for these only.
CREATE OR REPLACE MACRO _scaling_predict(p) AS TABLE
WITH
  forecasts AS (
    SELECT
      *,
      _counts(p) AS counts,
      scaling_forecast(
        kind,
        CASE WHEN seen_last THEN x ELSE [] END,
        CASE WHEN seen_last THEN y ELSE [] END,
        noise,
        _counts(p)
      ) AS forecast
    FROM scaling_series
  ),

  each AS (
    SELECT
      app, version, machine, function, kind,
      unnest(counts) AS parallelism,
      unnest(forecast['seconds']) AS predicted,
      unnest(forecast['low']) AS low,
      unnest(forecast['high']) AS high,
      flags || CASE WHEN seen_last THEN forecast['flags'] ELSE [] END AS flags,
      list_max(x) AS largest
    FROM forecasts
  )

SELECT
  app, version, machine, function, kind, parallelism, predicted, low, high,
  flags || _far_beyond(predicted, parallelism, largest) AS flags
FROM each;

CREATE OR REPLACE MACRO scaling_predict(p) AS TABLE
SELECT
  app, version, machine, function, kind, parallelism, predicted, low, high,
  CASE WHEN kind <> 'total' THEN
    predicted / sum(predicted) FILTER (kind <> 'total') OVER (
      PARTITION BY app, version, machine, parallelism
    )
  END AS share,
  flags
FROM _scaling_predict(p);

COMMENT ON MACRO TABLE scaling_predict IS 'One row is the time that one function of a set of runs is predicted to take at a parallelism: scaling_predict(512) or scaling_predict([512, 1024]); app, version, machine, function, kind, parallelism, predicted (s, at the set''s own problem size), low and high (90 % interval), share (of all functions'' predicted time), flags. NULL where there is no model, for the reason in flags.';
