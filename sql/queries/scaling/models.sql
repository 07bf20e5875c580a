-- Models of the functions of a set of runs.
SELECT
  function, kind, exponent, exponent_low, exponent_high, formula, points, repetitions, smape,
  cv_error, flags
FROM scaling_models
WHERE set_id = $set_id
ORDER BY function;
