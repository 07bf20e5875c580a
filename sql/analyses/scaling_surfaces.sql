-- key: set_id BIGINT
-- scope: set_id
-- needs: scaling_sets
-- reads: scaling_sets, fn_timings, runs
-- requires: run_contents, scaling_surfaces
-- functions: scaling
--
-- Models of two parameters, where a set of runs has several problem sizes at the same counts.

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
  SELECT
    app, version, machine, function, kind,
    model['formula'] AS formula,
    model['terms'] AS terms,
    model['r2'] AS r2,
    model['smape'] AS smape,
    model['cv_error'] AS cv_error,
    model['points'] AS points,
    model['flags'] AS flags
  FROM (SELECT *, scaling_surface(x, n, y) AS model FROM _surface_series)
);
