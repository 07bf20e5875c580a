-- Histories of whole runs, those with an open change first: one row an application with equal
-- values of the fields in series_fields, with its wall time, else the time of its functions.
WITH
  watched AS (
    SELECT
      *,
      array_to_string(
        list_transform(
          list_filter(map_entries(fields), lambda field: field.key <> 'machine'),
          lambda field: concat(field.key, ' ', regexp_replace(field.value, '\.0$', ''))
        ),
        ', '
      ) AS setting
    FROM _series_findings
    WHERE metric IN ('wall_seconds', 'functions:seconds')
    QUALIFY row_number() OVER (PARTITION BY app, fields ORDER BY metric <> 'wall_seconds') = 1
  ),

  changes AS (
    SELECT app, fields, metric, run_id, version, change, direction, started_at, NULL AS more_runs
    FROM change_points
    WHERE acknowledged IS NULL AND direction IS NOT NULL
    UNION ALL
    SELECT app, fields, metric, run_id, version, change, direction, started_at, more_runs
    FROM provisional_changes
    WHERE acknowledged IS NULL AND direction IS NOT NULL
  ),

  latest AS (
    FROM changes
    QUALIFY row_number() OVER (
      PARTITION BY app, fields, metric ORDER BY started_at DESC, run_id DESC
    ) = 1
  )

SELECT
  w.app, w.machine, w.setting,
  list_transform(w.series[-$most:], lambda point: point.value) AS history,
  w.points AS runs, w.unit, w.series[-1].value AS "last",
  w.series[-1].run_id AS run_id, w.series[-1].started_at AS last_at,
  c.direction, c.change, c.more_runs, coalesce(c.version, c.run_id) AS since, w.metric
FROM watched AS w
LEFT JOIN latest AS c
  ON w.app = c.app AND w.fields = c.fields AND w.metric = c.metric
ORDER BY
  c.direction = 'worse' DESC NULLS LAST, c.direction IS NULL, last_at DESC, w.app, w.machine, w.setting
LIMIT $number;
