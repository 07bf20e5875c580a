-- The runs $after against the level that each of their metrics had before its largest change for the
-- worse that is still open: neither acknowledged nor undone since, to what is allowed (metrics.sql; a
-- smaller one after it settles nothing); else against its present level. As `comparison` has it, of the metrics that match $patterns;
-- the runs of the levels are 30 at most. A change that is not certain yet is that of all runs since,
-- unless the last one is back; where more followed, a change is that of the present level. `level_until`
-- is the last run of the level.
WITH
  -- With the places of the runs of its configuration; those of a branch come after its fork.
  candidates AS (
    SELECT
      app, configuration_id, min(place + CAST(is_branch AS INTEGER)) AS first, max(place) AS last,
      list(run_id ORDER BY place, counted_at, run_id) AS runs,
      -- what is open on the default branch is none of its doing
      bool_or(is_branch) AS is_branch
    FROM (
      SELECT app, configuration_id, run_id, counted_at, place, false AS is_branch FROM _run_places
      UNION ALL
      SELECT app, configuration_id, run_id, counted_at, place, true FROM _run_forks
    )
    WHERE list_contains(CAST($after AS VARCHAR[]), run_id) AND place IS NOT NULL
    GROUP BY app, configuration_id
  ),

  -- run by run, of each configuration
  earlier AS (
    SELECT p.configuration_id, list(p.run_id ORDER BY p.place) AS runs
    FROM _run_places AS p
    JOIN candidates AS c ON p.configuration_id = c.configuration_id AND p.place < c.first
    GROUP BY p.configuration_id
  ),

  changed AS (
    SELECT
      f.series_id, p.place, f."before", f."after", f.change, f.more_runs, c.first,
      coalesce(CAST($limit AS DOUBLE), nullif(s.smallest_change, 0), $default_limit) AS allowed,
      {
        'runs': f.sides.runs, 'against': f.sides.against, 'more_runs': f.more_runs,
        'before': f."before", 'after': f."after"
      } AS sides,
      coalesce(f.direction = 'worse', (f."after" > f."before") = ($better = 'lower'), false)
        AND f.acknowledged IS NULL AS is_worse,
      f.more_runs IS NULL OR f.acknowledged IS NOT NULL AS is_level,
      list({'after': f."after", 'more_runs': f.more_runs}) OVER (
        PARTITION BY f.series_id ORDER BY p.place ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
      ) AS later
    FROM candidates AS c
    JOIN _found_changes AS f ON c.app = f.app
    JOIN series AS s ON f.series_id = s.series_id
    JOIN _run_places AS p ON f.run_id = p.run_id AND p.configuration_id = c.configuration_id
    WHERE p.place <= c.last
  ),

  judged AS (
    SELECT
      *,
      is_worse AND NOT coalesce(
        list_bool_or(
          list_transform(
            later,
            lambda l: l.more_runs IS NULL AND if(
              "before" < "after", l."after" <= "before" * (1 + allowed),
              l."after" >= "before" * (1 - allowed)
            )
          )
        ),
        false
      ) AS is_open
    FROM changed
  ),

  levels AS (
    SELECT
      series_id, max(place) FILTER (is_level AND place < first) AS since,
      arg_max(sides, coalesce(abs(change), CAST('infinity' AS DOUBLE))) FILTER (is_open) AS open,
      arg_max(sides.runs, place) FILTER (more_runs IS NULL) AS present,
      arg_max("after", place) AS level_now
    FROM judged
    GROUP BY series_id
  ),

  sided AS (
    SELECT
      *, dense_rank() OVER (ORDER BY against, runs) AS id
    FROM (
      SELECT
        m.metric,
        coalesce(
          CASE WHEN NOT c.is_branch THEN l.open.against END,
          list_slice(e.runs, greatest(coalesce(l.since, 1), len(e.runs) - 29), len(e.runs))
        ) AS against,
        CASE
          WHEN l.open IS NULL
            OR (own."value" > (l.open.before + l.level_now) / 2) <> (l.open.after > l.open.before)
            THEN c.runs
          WHEN list_contains(l.open.runs, c.runs[-1])
            THEN if(l.open.more_runs IS NULL, c.runs, l.open.runs)
          WHEN NOT c.is_branch AND list_contains(l.present, c.runs[-1]) THEN l.present
          ELSE c.runs
        END AS runs
      FROM candidates AS c
      JOIN earlier AS e ON c.configuration_id = e.configuration_id
      JOIN (
        SELECT DISTINCT p.configuration_id, v.metric
        FROM _scalars AS v
        JOIN _run_places AS p ON v.run_id = p.run_id
        SEMI JOIN candidates AS c ON p.configuration_id = c.configuration_id
      ) AS m ON c.configuration_id = m.configuration_id
      LEFT JOIN levels AS l ON l.series_id = _series_id(m.configuration_id, m.metric)
      LEFT JOIN _scalars AS own ON own.run_id = c.runs[-1] AND own.metric = m.metric
    )
    WHERE len(against) > 0
  )

SELECT
  c.* EXCLUDE (id, app, machine, configuration_id, function, name_before, is_separated),
  s.against[-1] AS level_until
FROM _compared(
  (
    SELECT coalesce(flatten(list(_sides(id, runs, against, NULL, NULL))), [])
    FROM (SELECT DISTINCT id, runs, against FROM sided)
  ),
  $level, CAST($patterns AS VARCHAR[]), false
) AS c
LEFT JOIN sided AS s ON c.id = s.id AND c.metric = s.metric
WHERE s.metric IS NOT NULL OR starts_with(c.metric, 'idle:') AND c.id = 1
ORDER BY c.place;
