-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: _forecasts, program_times, scaling_series, scaling_sets, runs
-- requires: settings, program_models
-- functions: scaling
--
-- Models of whole programs: of their wall time or slowest rank, else the sum of their functions.

-- inputs
FROM _set_inputs((SELECT list(scope) FROM _scope));

-- rows
WITH
  fitted AS (
    SELECT
      *,
      scaling_model(kind, x, y, noise) AS model,
      list_filter(predictions, lambda point: point['count'] / largest IN (2, 4, 8)) AS ahead
    FROM _programs(NULL)
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
  set_id, app, version, machine,
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
        log2(
          list_filter(ahead, lambda point: point['count'] / largest = 2)[1]['seconds'] / y[-1]
        )
    ELSE model['exponent']
  END AS exponent,
  flags
  || list_filter(
    CASE WHEN len(x) > 0 THEN model['flags'] ELSE [] END,
    lambda flag: NOT (is_sum AND flag.code = 'formula_disagrees')
  )
  || CASE
    WHEN is_sum AND apart > 0.1 THEN [
      _flag('sum_disagrees', MAP {'off': printf('%.0f %%', 100 * apart)})
    ]
    ELSE []
  END AS flags
FROM compared;
