-- key: pair_id BIGINT
-- scope: app
-- needs: app_versions
-- reads: app_versions, series, run_groups, runs, run_scalars, metrics, fn_timings, pmu_samples, nodes, workers,
--   tasks, task_inputs, transfers, runtime_intervals, idle_intervals, change_thresholds,
--   series_fields, default_branches, acknowledgements, _gpu_sums, _worker_sums
-- requires: comparison
-- functions: comparison
-- together: 10000
--
-- The newest 50 versions of each application, each against the one before it. Earlier ones are compared
-- when asked: 5,000 versions of 60 metrics land in 4 s, and all pairs of them took 200.

-- inputs
WITH
  -- of versions of one place none is before the other
  ordered AS (
    SELECT
      app, version, lag(version) OVER places AS previous_version,
      version_order > lag(version_order) OVER places
        AND lag(version_order) OVER places > coalesce(lag(version_order, 2) OVER places, 0)
        AND version_order < coalesce(lead(version_order) OVER places, version_order + 1)
        AND version_order > max(version_order) OVER (PARTITION BY app) - 50
        AS is_placed
    FROM app_versions
    WHERE app IN (FROM _scope)
    WINDOW places AS (PARTITION BY app ORDER BY version_order, version)
  ),

  pairs AS (
    SELECT
      _number_of(concat_ws(chr(0), app, version, previous_version)) AS pair_id,
      app, version, previous_version
    FROM ordered
    WHERE is_placed
  ),

  -- Earlier runs, and the first ones, show the noise.
  placed AS (
    SELECT
      g.app, g.run_id, r.version, g.fields IS NOT NULL AS is_usable, c.counted_at, p.place,
      hash(g.content, c.counted_at, p.place) AS entry,
      bit_xor(entry) OVER (
        PARTITION BY g.app ORDER BY c.counted_at NULLS FIRST
        RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS past,
      bit_xor(CASE WHEN _is_first(p.place) THEN entry END) OVER app AS beginning,
      bit_xor(entry) OVER app AS every
    FROM run_groups AS g
    JOIN runs AS r ON g.run_id = r.run_id
    JOIN _run_commits AS c ON g.run_id = c.run_id
    LEFT JOIN _run_places AS p ON g.run_id = p.run_id
    WHERE g.app IN (FROM _scope)
    WINDOW app AS (PARTITION BY g.app)
  ),

  compared AS (
    SELECT
      n.pair_id, n.app, n.version, n.previous_version,
      list(r.run_id ORDER BY r.run_id) FILTER (n.side = n.version) AS runs,
      list(r.run_id ORDER BY r.run_id) FILTER (n.side = n.previous_version) AS against,
      coalesce(arg_max(r.past, r.counted_at), any_value(r.every)) AS past,
      any_value(r.beginning) AS beginning,
      min((r.counted_at, r.place)) AS first, max((r.counted_at, r.place)) AS last
    FROM (SELECT *, unnest([version, previous_version]) AS side FROM pairs) AS n
    JOIN placed AS r ON n.app = r.app AND n.side = r.version
    WHERE r.is_usable
    GROUP BY n.pair_id, n.app, n.version, n.previous_version
  ),

  -- what a step between both is said to be
  steps AS (
    SELECT c.pair_id, bit_xor(hash(s.series_id, s.change)) AS steps
    FROM compared AS c
    JOIN (
      SELECT series_id, app, unnest(changes) AS change FROM series WHERE app IN (FROM _scope)
    ) AS s
      ON c.app = s.app
    JOIN placed AS r
      ON s.change.run_id = r.run_id
      AND (r.counted_at, r.place) > c.first AND (r.counted_at, r.place) <= c.last
    GROUP BY c.pair_id
  ),

  directions AS (
    SELECT app, bit_xor(hash(metric, better)) AS directions
    FROM _stated_directions
    GROUP BY app
  )

SELECT
  CAST(c.pair_id AS VARCHAR) AS key, c.app AS scope,
  md5(
    concat_ws(
      chr(0), CAST(c.runs AS VARCHAR), CAST(c.against AS VARCHAR), c.past, c.beginning, s.steps,
      d.directions, CAST((SELECT every FROM _threshold_rows) AS VARCHAR)
    )
  ) AS digest,
  c.pair_id, c.app, c.version, c.previous_version, c.runs, c.against
FROM compared AS c
LEFT JOIN steps AS s ON c.pair_id = s.pair_id
LEFT JOIN directions AS d ON c.app = d.app
WHERE c.runs IS NOT NULL AND c.against IS NOT NULL;

-- rows
SELECT
  i.pair_id, i.app, i.version, i.previous_version, i.runs, i.against,
  c.* EXCLUDE (id, app, configuration_id, function, name_before, is_separated),
  CASE WHEN c.configuration_id IS NOT NULL AND NOT regexp_matches(c.metric, '^(idle|device):')
    THEN _series_id(c.configuration_id, c.metric) END AS series_id,
  CASE
    WHEN c.better IS NOT NULL AND c."after" <> c."before"
      THEN if((c.better = 'lower') = (c."after" < c."before"), 'better', 'worse')
  END AS direction,
  c.p_value < 0.05 AS certain
FROM _inputs AS i
JOIN _compared(
  (SELECT coalesce(flatten(list(_sides(pair_id, runs, against, NULL, NULL))), []) FROM _inputs),
  0.95, ['*'], false
) AS c
  ON i.pair_id = c.id;
