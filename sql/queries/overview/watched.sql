-- Histories by which applications are judged, those with an open change first: one row an application
-- with equal values of the fields in series_fields, with its total (_main_order), else the result of
-- a benchmark, else any metric, that changed last, those for the worse first. Those with nothing but
-- the size of a trace are left out where the application has others. Of all applications, or of $app.
-- The history is of $most runs, with the change in their middle, which is at place change_at of it.
WITH
  latest AS (
    FROM _found_changes
    WHERE acknowledged IS NULL
    QUALIFY row_number() OVER (
      PARTITION BY series_id ORDER BY started_at DESC, run_id DESC
    ) = 1
  ),

  watched AS (
    SELECT
      s.*, c.direction, c.change, c.more_runs, c.run_id AS changed_run_id,
      coalesce(c.version, c.run_id) AS since,
      nullif(
        array_to_string(
          list_transform(
            list_filter(map_entries(s.fields), lambda field: field.key <> 'machine'),
            lambda field: concat(field.key, ' ', regexp_replace(field.value, '\.0$', ''))
          ),
          ', '
        ),
        ''
      ) AS setting
    FROM metric_series AS s
    LEFT JOIN latest AS c ON s.series_id = c.series_id
    LEFT JOIN _main_order AS o ON s.metric = o.metric
    WHERE $app IS NULL OR s.app = $app
    QUALIFY row_number() OVER (
      PARTITION BY s.app, s.fields
      ORDER BY
        o.place NULLS LAST, _is_size(s.metric), NOT starts_with(s.metric, 'metric:'),
        c.direction = 'worse' DESC NULLS LAST, c.started_at DESC NULLS LAST,
        abs(ln(abs(1 + c.change))) DESC NULLS LAST, s.unit IS NULL, s.points DESC, s.metric
    ) = 1
  ),

  telling AS (
    SELECT
      *,
      list_position(list_transform(series, lambda point: point.run_id), changed_run_id) AS changed
    FROM watched
    QUALIFY NOT _is_size(metric) OR bool_and(_is_size(metric)) OVER (PARTITION BY app)
  ),

  placed AS (
    SELECT
      *,
      greatest(1, least(points - $most + 1, coalesce(changed, points) - $most // 2)) AS first_shown
    FROM telling
  )

SELECT
  app, machine, setting, metric,
  list_transform(series[first_shown:first_shown + $most - 1], lambda point: point.value) AS history,
  changed - first_shown + 1 AS change_at,
  points AS runs, unit, series[-1].value AS "last",
  series[-1].run_id AS run_id, series[-1].started_at AS last_at,
  direction, change, more_runs, since
FROM placed
ORDER BY
  direction = 'worse' DESC NULLS LAST, since IS NULL, last_at DESC, app, machine, setting
LIMIT $number;
