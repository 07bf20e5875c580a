-- key: app VARCHAR
-- scope: app
-- needs: app_versions
-- reads: app_versions, series, run_groups, runs, run_scalars, metrics, fn_timings, pmu_samples, nodes, workers,
--   tasks, task_inputs, transfers, runtime_intervals, idle_intervals, change_thresholds,
--   series_fields, default_branches, acknowledgements, _gpu_sums, _worker_sums
-- requires: comparison
-- functions: comparison
--
-- The newest version of each application against the one before it. Those before are not stored: to
-- compare all versions of a large file takes longer than to land it.

-- inputs
WITH
  -- of versions of one place none is before the other
  ordered AS (
    SELECT
      app, version, version_order, lag(version) OVER places AS previous_version,
      version_order > lag(version_order) OVER places
        AND lag(version_order) OVER places > coalesce(lag(version_order, 2) OVER places, 0)
        AS is_placed
    FROM app_versions
    WHERE app IN (FROM _scope)
    WINDOW places AS (PARTITION BY app ORDER BY version_order, version)
  ),

  newest AS (
    SELECT app, version, previous_version
    FROM ordered
    QUALIFY is_placed
      AND row_number() OVER (PARTITION BY app ORDER BY version_order DESC, version DESC) = 1
  ),

  compared AS (
    SELECT
      n.app, n.version, n.previous_version,
      list(r.run_id ORDER BY r.run_id) FILTER (r.version = n.version AND g.fields IS NOT NULL) AS runs,
      list(r.run_id ORDER BY r.run_id)
        FILTER (r.version = n.previous_version AND g.fields IS NOT NULL) AS against,
      -- other runs show the noise
      bit_xor(g.content) AS content
    FROM newest AS n
    JOIN runs AS r ON n.app = r.app
    JOIN run_groups AS g ON r.run_id = g.run_id
    GROUP BY n.app, n.version, n.previous_version
  )

SELECT
  app AS key, app AS scope,
  md5(
    concat_ws(
      chr(0), version, previous_version, content,
      CAST((SELECT every FROM _threshold_rows) AS VARCHAR)
    )
  ) AS digest,
  app, version, previous_version, runs, against, row_number() OVER (ORDER BY app) AS id
FROM compared
WHERE runs IS NOT NULL AND against IS NOT NULL;

-- rows
SELECT
  i.app, i.version, i.previous_version, i.runs, i.against,
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
  (SELECT coalesce(flatten(list(_sides(id, runs, against, NULL, NULL))), []) FROM _inputs),
  0.95, ['*'], false
) AS c
  ON i.id = c.id;
