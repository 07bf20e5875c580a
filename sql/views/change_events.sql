-- requires: environments, change_points, sides
--
-- Events: changes of several metrics at one version, or at neighbouring runs, are one; and what moved
-- there: the code, the environment, or the machine.

-- What two sides differ in: code, where their commits are known and differ; else version: the same
-- code may have been built otherwise, or another workload may be called so; else unknown.
CREATE OR REPLACE MACRO _new_of("commit", previous_commit, version, previous_version) AS CASE
  WHEN "commit" <> previous_commit THEN 'code'
  WHEN version <> previous_version THEN 'version'
  ELSE 'unknown'
END;

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

-- The fields of the environment that differ between two runs.
CREATE OR REPLACE MACRO _differing_environment(earlier, later) AS (
  SELECT coalesce(list(b.name ORDER BY b.name), [])
  FROM _environments AS b
  JOIN _environments AS a ON b.name = a.name AND b.value <> a.value
  WHERE b.run_id = earlier AND a.run_id = later
);

-- Of the changes whose metric and machine match a pattern; one that vanished has none. What moved is
-- seen by all changes.
CREATE OR REPLACE MACRO _change_events_of(metrics := '*', machines := '*') AS TABLE
WITH
  placed AS (
    SELECT
      *,
      len(list_filter(_as_list(metrics), lambda pattern: _matches(metric, pattern))) > 0
        AND len(list_filter(_as_list(machines), lambda pattern: _matches(machine, pattern))) > 0
        AS is_meant
    FROM _found_changes
    WHERE more_runs IS NULL
  ),

  ranked AS (
    SELECT
      *,
      row_number() OVER (
        PARTITION BY event_id
        ORDER BY NOT is_meant, acknowledged IS NOT NULL, direction IS DISTINCT FROM 'worse',
          direction IS DISTINCT FROM 'better', metric <> 'wall_seconds',
          metric NOT LIKE 'functions:%', NOT starts_with(metric, 'seconds:'),
          -- of functions the one that costs most
          CASE WHEN starts_with(metric, 'seconds:') THEN -abs("after" - "before") END,
          p_value, metric, CAST(fields AS VARCHAR)
      ) AS nth
    FROM placed
  ),

  events AS (
    SELECT
      app, event_id,
      arg_min(
        {
          'version': version, 'previous_version': previous_version, 'commit': "commit",
          'previous_commit': previous_commit, 'run_id': run_id,
          'previous_run_id': previous_run_id, 'started_at': started_at, 'machine': machine,
          'metric': metric, 'unit': unit, 'before': "before", 'after': "after", 'change': change,
          'direction': direction, 'p_value': p_value, 'acknowledged': acknowledged,
          'triage': triage
        },
        nth
      ) AS clearest,
      count(*) FILTER (nth > 1 AND is_meant) AS others,
      count(*) FILTER (nth > 1 AND is_meant AND direction = 'worse') AS others_worse,
      count(*) FILTER (nth > 1 AND is_meant AND direction = 'better') AS others_better,
      list(DISTINCT metric ORDER BY metric) FILTER (is_meant) AS metrics, bool_or(is_meant) AS is_meant
    FROM ranked
    GROUP BY app, event_id
  ),

  -- the other applications that ran on that machine before and after, and those of them that changed
  -- between their own runs next to it
  beside AS (
    SELECT
      e.event_id, o.app AS other,
      max(o.started_at) FILTER (o.started_at < e.clearest.started_at) AS last_before,
      min(o.started_at) FILTER (o.started_at >= e.clearest.started_at) AS first_after
    FROM events AS e
    JOIN runs AS o ON e.clearest.machine = o.machine AND e.app <> o.app
    GROUP BY e.event_id, o.app
    HAVING last_before IS NOT NULL AND first_after IS NOT NULL
  ),

  shared AS (
    SELECT
      b.event_id, count(*) AS apps,
      count(*) FILTER (
        EXISTS (
          FROM events AS n
          WHERE n.app = b.other AND n.clearest.started_at BETWEEN b.last_before AND b.first_after
        )
      ) AS changed
    FROM beside AS b
    GROUP BY b.event_id
  ),

  -- Of one application alone: most of its metrics moved in one direction at one place, and came back.
  returned AS (
    SELECT e.event_id
    FROM events AS e
    JOIN ranked AS r ON e.event_id = r.event_id
    JOIN placed AS l
      ON r.series_id = l.series_id AND l."index" > r."index"
      AND abs(l."after" - r."before") < abs(r."after" - r."before") / 2
    JOIN (SELECT app, count(*) AS series FROM series WHERE points >= 10 GROUP BY app) AS s
      ON e.app = s.app
    GROUP BY e.event_id, s.series
    HAVING count(DISTINCT r.series_id) >= greatest(6, s.series / 2)
      AND max(sign(r.change)) = min(sign(r.change))
  )

SELECT
  e.event_id, e.app, clearest.triage.state AS state, clearest.version, clearest.previous_version, clearest."commit", clearest.previous_commit,
  clearest.run_id, clearest.previous_run_id, clearest.started_at, clearest.machine, clearest.metric,
  clearest.unit, clearest."before", clearest."after", clearest.change, clearest.direction,
  clearest.p_value, clearest.acknowledged, clearest.triage.fix AS fix,
  clearest.triage.fixed_in AS fixed_in, clearest.triage."owner" AS "owner",
  clearest.triage.ticket AS ticket, clearest.triage.note AS note,
  clearest.triage.said_by AS said_by, clearest.triage.said_at AS said_at, e.others, e.others_worse,
  e.others_better, e.metrics,
  CASE
    WHEN c.run_id IS NOT NULL THEN 'machine'
    WHEN len(e.environment) > 0
      AND (
        s.changed > 0 OR s.apps IS NULL
        OR clearest.version IS NOT DISTINCT FROM clearest.previous_version
          AND clearest."commit" IS NOT DISTINCT FROM clearest.previous_commit
      )
      THEN 'environment'
    WHEN 2 * s.changed > s.apps OR r.event_id IS NOT NULL THEN 'machine'
    ELSE _new_of(
      clearest."commit", clearest.previous_commit, clearest.version, clearest.previous_version
    )
  END AS moved,
  environment
FROM (
  SELECT
    *, _differing_environment(clearest.previous_run_id, clearest.run_id) AS environment
  FROM events
) AS e
LEFT JOIN shared AS s ON e.event_id = s.event_id
LEFT JOIN returned AS r ON e.event_id = r.event_id
LEFT JOIN (
  SELECT DISTINCT app, run_id
  FROM change_explanations
  WHERE topic = 'cause' AND flags[1].code = 'waits_processor'
) AS c ON e.app = c.app AND clearest.run_id = c.run_id
WHERE e.is_meant;

CREATE OR REPLACE VIEW _withdrawn_events AS
SELECT
  * EXCLUDE (event, changes), ("after" - "before") / nullif(abs("before"), 0) AS change,
  len(changes) - 1 AS others
FROM _change_events
WHERE state = 'withdrawn';

CREATE OR REPLACE VIEW change_events AS
FROM _change_events_of()
UNION ALL BY NAME
FROM _withdrawn_events;

COMMENT ON VIEW change_events IS 'One row is one event: changes of several metrics, machines or configurations (change_points) at one version, or at the same run or the one next to it.';
COMMENT ON COLUMN change_events.event_id IS 'Number of the event for life: a boundary that later runs move keeps it, and one that vanishes and comes back.';
COMMENT ON COLUMN change_events.state IS 'What is known of it (acknowledgements.reason): new, investigating, expected, noise, fixed; reopened: said to be fixed, and it is not; or withdrawn: later runs, or other thresholds, leave no change there; the other columns are as they were, those that are NULL are not known any more. new, investigating and reopened are open.';
COMMENT ON COLUMN change_events.version IS 'Version of run_id, as the next columns of the clearest change: one for the worse, total times first, of functions the one whose time changed most.';
COMMENT ON COLUMN change_events.previous_version IS 'Version of previous_run_id.';
COMMENT ON COLUMN change_events."commit" IS 'Commit of run_id.';
COMMENT ON COLUMN change_events.previous_commit IS 'Commit of previous_run_id: the cause is among the commits after it, up to commit.';
COMMENT ON COLUMN change_events.run_id IS 'First run after the change.';
COMMENT ON COLUMN change_events.previous_run_id IS 'Last run before it.';
COMMENT ON COLUMN change_events.started_at IS 'When its commit was made, else when it started.';
COMMENT ON COLUMN change_events.metric IS 'Metric.';
COMMENT ON COLUMN change_events.unit IS 'Unit of before and after.';
COMMENT ON COLUMN change_events."before" IS 'Level before (change_points.before).';
COMMENT ON COLUMN change_events."after" IS 'Level after.';
COMMENT ON COLUMN change_events.direction IS 'worse or better; NULL where that is not known.';
COMMENT ON COLUMN change_events.p_value IS 'Probability of such a change in a series without any (change_points.p_value).';
COMMENT ON COLUMN change_events.acknowledged IS 'The state, where it is expected, noise, or fixed in a version; NULL where any change is open.';
COMMENT ON COLUMN change_events.fix IS 'Of one that is said to be fixed: not measured (in three runs since), holds or fails: whether the median of the first five runs since is nearer to the level before, or the change came after it.';
COMMENT ON COLUMN change_events.fixed_in IS 'Version or commit of the fix (acknowledgements.fixed_in).';
COMMENT ON COLUMN change_events."owner" IS 'Who takes care of it.';
COMMENT ON COLUMN change_events.ticket IS 'Address of the ticket.';
COMMENT ON COLUMN change_events.note IS 'Anything else that was said.';
COMMENT ON COLUMN change_events.said_by IS 'Who said it last.';
COMMENT ON COLUMN change_events.said_at IS 'When.';
COMMENT ON COLUMN change_events.others IS 'How many more series changed.';
COMMENT ON COLUMN change_events.others_worse IS 'How many of these for the worse.';
COMMENT ON COLUMN change_events.others_better IS 'How many for the better; of the rest it is not known which is better.';
COMMENT ON COLUMN change_events.metrics IS 'All metrics that changed.';
COMMENT ON COLUMN change_events.moved IS 'machine: other programs had its processors (change_explanations); environment: a field of it, listed in environment, changed at that run, and other applications on the machine changed there, or the version did not, or nothing else ran there; machine: most other applications on it changed there, or of one application most metrics moved in one direction and came back; code: the commit changed, and none of these; version: the version changed, and no commit is known to; unknown.';
COMMENT ON COLUMN change_events.environment IS 'Fields of the environment that differ between the two runs.';
