-- Models of the functions of a set of runs.
SELECT
  function, kind, exponent, exponent_low, exponent_high, formula, points, repetitions, smape,
  cv_error, flags
FROM scaling_models
WHERE app IS NOT DISTINCT FROM $app AND version IS NOT DISTINCT FROM $version
  AND machine IS NOT DISTINCT FROM $machine
ORDER BY function;
