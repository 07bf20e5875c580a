-- requires: scaling_models
--
-- Models of two parameters: parallelism p and problem size n, where a set of runs has several
-- sizes at the same counts.

CREATE OR REPLACE VIEW _surface_series AS
SELECT
  p.set_id, p.app, p.version, p.machine, p.function, p.kind,
  list(CAST(p.parallelism AS DOUBLE) ORDER BY p.problem_size, p.parallelism) AS x,
  list(p.problem_size ORDER BY p.problem_size, p.parallelism) AS n,
  list(p.seconds ORDER BY p.problem_size, p.parallelism) AS y
FROM scaling_points AS p
JOIN scaling_sets AS s ON p.set_id = s.set_id
WHERE s.crossed AND p.seconds > 0 AND p.problem_size > 0
GROUP BY p.set_id, p.app, p.version, p.machine, p.function, p.kind;

CREATE OR REPLACE MACRO scaling_predict_at(p, n) AS TABLE -- One row is the time that one function of a set of runs is predicted to take at a parallelism (a count or a list) and a problem size n: scaling_predict_at(512, 6000); columns as scaling_predict, and problem_size. Sets that were not run at several sizes per count predict only their own size.
WITH
  -- sets of one problem size predict only that size
  plain AS (
    SELECT
      t.*, s.problem_size IS NOT DISTINCT FROM CAST(n AS DOUBLE) AS same,
      CASE
        WHEN s.problem_sizes = 0 THEN _flag('no_size_model_unknown')
        WHEN s.problem_sizes = 1
          THEN _flag('no_size_model_one', MAP {'size': printf('%.6g', s.problem_size)})
        ELSE _flag('no_size_model_uncrossed')
      END AS reason
    FROM scaling_predict(p) AS t
    JOIN scaling_sets AS s ON t.set_id = s.set_id
    WHERE NOT s.crossed
  ),

  crossed AS (
    SELECT
      u.set_id, u.app, u.version, u.machine, u.function, u.kind, o.flags, o.seen_last,
      scaling_forecast_at(
        u.kind,
        CASE WHEN o.seen_last THEN u.x ELSE [] END,
        CASE WHEN o.seen_last THEN u.n ELSE [] END,
        CASE WHEN o.seen_last THEN u.y ELSE [] END,
        o.noise, s.problem_size, _counts(p), CAST(n AS DOUBLE)
      ) AS forecast,
      list_min(u.n) AS least, list_max(u.n) AS most, s.largest
    FROM _surface_series AS u
    JOIN scaling_series AS o ON u.set_id = o.set_id AND u.function = o.function
    JOIN scaling_sets AS s ON u.set_id = s.set_id
  ),

  predicted AS (
    SELECT
      * EXCLUDE (forecast),
      unnest(_counts(p)) AS parallelism,
      unnest(forecast['seconds']) AS predicted,
      unnest(forecast['low']) AS low,
      unnest(forecast['high']) AS high,
      forecast['flags'] AS doubts
    FROM crossed
  ),

  each AS (
    SELECT
      set_id, app, version, machine, function, kind, parallelism,
      CASE WHEN same THEN predicted END AS predicted,
      CASE WHEN same THEN low END AS low,
      CASE WHEN same THEN high END AS high,
      CASE
        WHEN same THEN flags
        ELSE list_filter(flags, lambda flag: flag.code <> 'extrapolating') || [reason]
      END AS flags
    FROM plain
    UNION ALL
    SELECT
      set_id, app, version, machine, function, kind, parallelism, predicted, low, high,
      flags || CASE WHEN seen_last THEN doubts ELSE [] END
        || _far_beyond(predicted, parallelism, largest) || list_filter(
        [
          CASE
            WHEN n > 4 * most OR 4 * n < least
              THEN _flag('extrapolating_size', MAP {
                'least': printf('%.6g', least), 'most': printf('%.6g', most)
              })
          END
        ],
        lambda flag: flag IS NOT NULL
      )
    FROM predicted
  )

SELECT
  t.set_id, t.app, t.version, t.machine, t.function, t.kind, t.parallelism,
  CAST(n AS DOUBLE) AS problem_size, t.predicted, t.low, t.high,
  _share(t.predicted, CASE WHEN s.seen_last THEN s.y[-1] END, t.kind, t.set_id, t.parallelism)
    AS share,
  t.flags
FROM each AS t
JOIN scaling_series AS s ON t.set_id = s.set_id AND t.function = s.function;
