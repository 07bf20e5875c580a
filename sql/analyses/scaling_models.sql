-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: scaling_series, scaling_sets, fn_timings, runs
-- requires: run_contents, scaling_models
-- functions: scaling
--
-- Models of functions: how their time changes with the parallelism.

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
    AND f.machine IS NOT DISTINCT FROM s.machine
);
