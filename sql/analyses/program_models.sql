-- key: set_id BIGINT
-- scope: set_id
-- reads: program_times, scaling_series, scaling_sets, runs
-- requires: run_contents, program_models
-- functions: scaling
--
-- Models of whole programs: of their wall time or slowest rank, else the sum of their functions.

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
      lambda flag: NOT (is_sum AND flag.code = 'formula_disagrees')
    )
    || CASE
      WHEN is_sum AND apart > 0.1 THEN [
        _flag('sum_disagrees', MAP {'off': printf('%.0f %%', 100 * apart)})
      ]
      ELSE []
    END AS flags
  FROM compared
);
