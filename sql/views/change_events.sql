-- requires: change_points, sides
--
-- Events: changes of several metrics at one version, or at neighbouring runs, are one.

CREATE OR REPLACE MACRO change_events(metrics := '*', machines := '*') AS TABLE
WITH
  -- A change begins an event unless the one before it is at the same or the previous run, or at
  -- the same version, where that is new in both series.
  starts AS (
    SELECT
      *,
      version <> previous_version AS new_version,
      NOT coalesce(
        run_id = lag(run_id) OVER nearby OR previous_run_id = lag(run_id) OVER nearby, false
      ) AS begins
    FROM change_points
    WHERE len(list_filter(_as_list(metrics), lambda pattern: _matches(metric, pattern))) > 0
      AND len(list_filter(_as_list(machines), lambda pattern: _matches(machine, pattern))) > 0
    WINDOW nearby AS (PARTITION BY app, fields ORDER BY started_at, run_id)
  ),

  local AS (
    SELECT
      *,
      sum(CAST(begins AS INTEGER)) OVER (
        PARTITION BY app, fields ORDER BY started_at, run_id, metric ROWS UNBOUNDED PRECEDING
      ) AS number
    FROM starts
  ),

  -- Local events of several machines or configurations at one version are one.
  named AS (
    SELECT
      *,
      first_value(if(new_version, version, run_id)) OVER (
        PARTITION BY app, fields, number ORDER BY new_version DESC NULLS LAST, p_value
      ) AS event
    FROM local
  ),

  ranked AS (
    SELECT
      *,
      row_number() OVER (
        PARTITION BY app, event
        ORDER BY acknowledged IS NOT NULL, direction IS DISTINCT FROM 'worse',
          direction IS DISTINCT FROM 'better', metric <> 'wall_seconds',
          metric NOT LIKE 'functions:%', NOT starts_with(metric, 'seconds:'), p_value, metric,
          CAST(fields AS VARCHAR)
      ) AS place
    FROM named
  )

SELECT
  app,
  any_value(version) FILTER (place = 1) AS version,
  any_value(previous_version) FILTER (place = 1) AS previous_version,
  any_value("commit") FILTER (place = 1) AS "commit",
  any_value(previous_commit) FILTER (place = 1) AS previous_commit,
  any_value(run_id) FILTER (place = 1) AS run_id,
  any_value(previous_run_id) FILTER (place = 1) AS previous_run_id,
  any_value(started_at) FILTER (place = 1) AS started_at,
  any_value(machine) FILTER (place = 1) AS machine,
  any_value(metric) FILTER (place = 1) AS metric,
  any_value(unit) FILTER (place = 1) AS unit,
  any_value("before") FILTER (place = 1) AS "before",
  any_value("after") FILTER (place = 1) AS "after",
  any_value(change) FILTER (place = 1) AS change,
  any_value(direction) FILTER (place = 1) AS direction,
  any_value(p_value) FILTER (place = 1) AS p_value,
  any_value(acknowledged) FILTER (place = 1) AS acknowledged,
  count(*) - 1 AS others,
  list(DISTINCT metric ORDER BY metric) AS metrics
FROM ranked
GROUP BY app, event;

COMMENT ON MACRO TABLE change_events IS 'One row is one event: changes of several metrics, machines or configurations (of those in change_points whose metric and machine match a pattern) at one version, or at the same or neighbouring runs. app; version, previous_version, commit, previous_commit, run_id, previous_run_id, started_at, machine, metric, unit, before, after, change, direction, p_value and acknowledged (of the clearest change for the worse, total times first; acknowledged is NULL where any change is open); others (how many more changes), metrics (all that changed).';
