-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: scaling_sets, fn_timings, runs
-- requires: settings, scaling_surfaces
-- functions: scaling
--
-- Models of two parameters, where a set of runs has several problem sizes at the same counts.

-- inputs
FROM _set_inputs((SELECT list(scope) FROM _scope));

-- rows
SELECT
  set_id, app, version, machine, function, kind,
  model['formula'] AS formula,
  model['terms'] AS terms,
  model['r2'] AS r2,
  model['smape'] AS smape,
  model['cv_error'] AS cv_error,
  model['points'] AS points,
  model['flags'] AS flags
FROM (SELECT *, scaling_surface(x, n, y) AS model FROM _surface_series);
