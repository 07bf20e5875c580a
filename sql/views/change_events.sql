-- requires: environments, change_points, sides
--
-- Events: changes of several metrics at one version, or at neighbouring runs, are one; and what moved
-- there: the code, the environment, or the machine.

-- What is known of the environment of a run, a row a fact.
CREATE OR REPLACE VIEW _environments AS
SELECT run_id, tag.key AS name, tag.value AS value
FROM (SELECT run_id, unnest(map_entries(tags)) AS tag FROM runs)
WHERE regexp_full_match(
  tag.key,
  '(cpu|kernel|governor|turbo|microcode|smt|libc|glibc|compiler|cc|cxx|flags|cflags|cxxflags|python|'
    || 'interpreter|jdk|vm|node|go|rustc|image|container|driver|os|goos|goarch)([_:.-].*)?'
)
UNION
SELECT run_id, field, "value"
FROM run_environment;

CREATE OR REPLACE MACRO change_events(metrics := '*', machines := '*') AS TABLE
WITH
  placed AS (
    SELECT
      c.*, o.place, o.configuration_id,
      if(c.version <> c.previous_version, c.version, c.run_id) AS named
    FROM change_points AS c
    JOIN _run_places AS o ON c.run_id = o.run_id
    WHERE len(list_filter(_as_list(metrics), lambda pattern: _matches(metric, pattern))) > 0
      AND len(list_filter(_as_list(machines), lambda pattern: _matches(machine, pattern))) > 0
  ),

  -- A change may be placed a run off: boundaries of a configuration next to each other are one, the one
  -- of most metrics, else the clearest. Only next to that one: else a row of many would be one.
  boundaries AS (
    SELECT
      configuration_id, place, (count(*), -min(p_value), -place) AS weight,
      arg_min(named, (p_value, metric)) AS named
    FROM placed
    GROUP BY configuration_id, place
  ),

  nearby AS (
    SELECT
      b.*, max(n.weight) AS heaviest, arg_max(n.place, n.weight) AS heaviest_place
    FROM boundaries AS b
    JOIN boundaries AS n
      ON b.configuration_id = n.configuration_id AND n.place BETWEEN b.place - 1 AND b.place + 1
    GROUP BY ALL
  ),

  anchored AS (
    SELECT
      n.configuration_id, n.place,
      if(a.heaviest_place = a.place, a.place, n.place) AS anchor,
      if(a.heaviest_place = a.place, a.named, n.named) AS event
    FROM nearby AS n
    JOIN nearby AS a ON n.configuration_id = a.configuration_id AND n.heaviest_place = a.place
  ),

  ranked AS (
    SELECT
      p.*, a.event, a.anchor,
      row_number() OVER (
        PARTITION BY app, a.event
        ORDER BY acknowledged IS NOT NULL, direction IS DISTINCT FROM 'worse',
          direction IS DISTINCT FROM 'better', metric <> 'wall_seconds',
          metric NOT LIKE 'functions:%', NOT starts_with(metric, 'seconds:'), p_value, metric,
          CAST(fields AS VARCHAR)
      ) AS nth
    FROM placed AS p
    JOIN anchored AS a ON p.configuration_id = a.configuration_id AND p.place = a.place
  ),

  events AS (
    SELECT
      app, event,
      arg_min(
        {
          'version': version, 'previous_version': previous_version, 'commit': "commit",
          'previous_commit': previous_commit, 'run_id': run_id,
          'previous_run_id': previous_run_id, 'started_at': started_at, 'machine': machine,
          'metric': metric, 'unit': unit, 'before': "before", 'after': "after", 'change': change,
          'direction': direction, 'p_value': p_value, 'acknowledged': acknowledged
        },
        nth
      ) AS clearest,
      count(*) - 1 AS others, list(DISTINCT metric ORDER BY metric) AS metrics
    FROM ranked
    GROUP BY app, event
  ),

  -- fields of the environment that differ between the last run before and the first after
  fields AS (
    SELECT e.app, e.event, list(b.name ORDER BY b.name) AS names
    FROM events AS e
    JOIN _environments AS b ON e.clearest.previous_run_id = b.run_id
    JOIN _environments AS a ON e.clearest.run_id = a.run_id AND a.name = b.name
    WHERE a.value <> b.value
    GROUP BY e.app, e.event
  ),

  -- the other applications that ran on that machine before and after, and those of them that changed
  -- between their own runs next to it
  beside AS (
    SELECT
      e.app, e.event, o.app AS other,
      max(o.started_at) FILTER (o.started_at < e.clearest.started_at) AS last_before,
      min(o.started_at) FILTER (o.started_at >= e.clearest.started_at) AS first_after
    FROM events AS e
    JOIN runs AS o ON e.clearest.machine = o.machine AND e.app <> o.app
    GROUP BY e.app, e.event, o.app
    HAVING last_before IS NOT NULL AND first_after IS NOT NULL
  ),

  shared AS (
    SELECT
      b.app, b.event, count(*) AS apps,
      count(*) FILTER (
        EXISTS (
          FROM events AS n
          WHERE n.app = b.other AND n.clearest.started_at BETWEEN b.last_before AND b.first_after
        )
      ) AS changed
    FROM beside AS b
    GROUP BY b.app, b.event
  ),

  -- Of one application alone: most of its metrics moved in one direction at one place, and came back.
  returned AS (
    SELECT e.app, e.event
    FROM events AS e
    JOIN ranked AS r ON e.app = r.app AND e.event = r.event
    JOIN placed AS l
      ON r.series_id = l.series_id AND l.place > r.place
      AND abs(l."after" - r."before") < abs(r."after" - r."before") / 2
    JOIN (SELECT app, count(*) AS series FROM series WHERE points >= 10 GROUP BY app) AS s
      ON e.app = s.app
    GROUP BY e.app, e.event, s.series
    HAVING count(DISTINCT r.series_id) >= greatest(6, s.series / 2)
      AND max(sign(r.change)) = min(sign(r.change))
  )

SELECT
  e.app, clearest.version, clearest.previous_version, clearest."commit", clearest.previous_commit,
  clearest.run_id, clearest.previous_run_id, clearest.started_at, clearest.machine, clearest.metric,
  clearest.unit, clearest."before", clearest."after", clearest.change, clearest.direction,
  clearest.p_value, clearest.acknowledged, e.others, e.metrics,
  CASE
    WHEN f.names IS NOT NULL
      AND (
        s.changed > 0 OR s.apps IS NULL
        OR clearest.version IS NOT DISTINCT FROM clearest.previous_version
          AND clearest."commit" IS NOT DISTINCT FROM clearest.previous_commit
      )
      THEN 'environment'
    WHEN 2 * s.changed > s.apps OR r.app IS NOT NULL THEN 'machine'
    WHEN clearest."commit" <> clearest.previous_commit
      OR clearest.version <> clearest.previous_version
      THEN 'code'
    ELSE 'unknown'
  END AS moved,
  coalesce(f.names, []) AS environment
FROM events AS e
LEFT JOIN fields AS f ON e.app = f.app AND e.event = f.event
LEFT JOIN shared AS s ON e.app = s.app AND e.event = s.event
LEFT JOIN returned AS r ON e.app = r.app AND e.event = r.event;

COMMENT ON MACRO TABLE change_events IS 'One row is one event: changes of several metrics, machines or configurations (of those in change_points whose metric and machine match a pattern) at one version, or at the same run or the one next to it. app; version, previous_version, commit, previous_commit, run_id, previous_run_id, started_at, machine, metric, unit, before, after, change, direction, p_value and acknowledged (of the clearest change for the worse, total times first; acknowledged is NULL where any change is open); others (how many more changes), metrics (all that changed), moved (environment: a field of it, listed in environment, changed at that run, and other applications on the machine changed there, or the version did not, or nothing else ran there; machine: most other applications on it changed there, or of one application most metrics moved in one direction and came back; code: the version or commit changed, and none of these; unknown).';
