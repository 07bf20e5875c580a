-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: scaling_series, scaling_sets, fn_timings, runs
-- requires: settings, scaling_models
-- functions: scaling
--
-- Models of functions: how their time changes with the parallelism.

-- inputs
FROM _set_inputs((SELECT list(scope) FROM _scope));

-- rows
WITH
  fitted AS (
    SELECT *, _fitted(kind, seen_last, x, y, noise) AS model FROM scaling_series
  )

SELECT
  f.set_id, f.app, f.version, f.machine, f.function, f.kind,
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
JOIN scaling_sets AS s ON f.set_id = s.set_id;
