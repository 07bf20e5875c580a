-- requires: run_metrics, directions, failed_runs
--
-- Change points: where the level of a metric of an application on a machine changed permanently.
--
-- Runs of one application with equal values of every field in series_fields are one series. The
-- rows of change_thresholds that match a series define what counts as a change.

-- What is known of each run as one map; values of series_fields that are unknown are left out.
CREATE OR REPLACE VIEW _series_of_runs AS
WITH
  wanted AS (
    SELECT coalesce(list(field), []) AS fields FROM series_fields
  ),

  columns AS (
    SELECT
      run_id, tags,
      [
        {'key': 'machine', 'value': machine}, {'key': 'nodes', 'value': CAST(nodes AS VARCHAR)},
        {'key': 'problem_size', 'value': CAST(problem_size AS VARCHAR)},
        {'key': 'ranks', 'value': CAST(ranks AS VARCHAR)},
        {'key': 'threads', 'value': CAST(threads AS VARCHAR)}
      ] AS facts
    FROM runs
  )

SELECT
  r.run_id, r.tags['commit'] AS commit,
  map_from_entries(
    list_sort(
      list_filter(
        -- a tag with the name of a column would be a second value
        facts || list_filter(
          coalesce(map_entries(r.tags), []),
          lambda tag: NOT list_contains(list_transform(facts, lambda fact: fact.key), tag.key)
        ),
        lambda fact: fact.value IS NOT NULL AND list_contains(w.fields, fact.key)
      )
    )
  ) AS fields
FROM columns AS r
CROSS JOIN wanted AS w
ANTI JOIN (FROM acknowledgements WHERE reason = 'invalid run') AS i USING (run_id)
ANTI JOIN failed_runs USING (run_id);

-- Sorted as lists: with ORDER BY the aggregate takes the memory of 2048 rows for each series of 17 or
-- more.
CREATE OR REPLACE VIEW metric_series AS
SELECT
  m.app,
  CASE WHEN count(DISTINCT m.machine) > 0 THEN string_agg(DISTINCT m.machine, ', ' ORDER BY m.machine)
  END AS machine,
  s.fields, m.metric, any_value(m.unit) AS unit,
  count(*) AS points,
  list_transform(
    list_sort(
      list({
        'started_at': m.started_at, 'run_id': m.run_id, 'version': m.version, 'commit': s.commit,
        'value': m.value
      })
    ),
    lambda point: {
      'run_id': point.run_id, 'version': point.version, 'commit': point.commit,
      'started_at': point.started_at, 'value': point.value
    }
  ) AS series
FROM run_metrics AS m
JOIN _series_of_runs AS s USING (run_id)
WHERE m.started_at IS NOT NULL AND m.app IS NOT NULL
GROUP BY m.app, s.fields, m.metric
HAVING min(m.unit) IS NOT DISTINCT FROM max(m.unit)
  -- the rows of a table of runs that landed with one --started-at have no order
  AND (count(*) = 1 OR min(m.started_at) < max(m.started_at));

COMMENT ON VIEW metric_series IS 'One row is the history of one metric: its values in runs of one application with equal values of the fields in series_fields, in order of time. Values in several units are no series, nor are those of runs that all started at one time. Runs whose application or start is unknown are left out, as are invalid ones (acknowledgements) and failed_runs.';
COMMENT ON COLUMN metric_series.app IS 'Application.';
COMMENT ON COLUMN metric_series.machine IS 'Machine; several, with commas, where machine is no field of series_fields; NULL where unknown.';
COMMENT ON COLUMN metric_series.fields IS 'What its runs have in common: field -> value. Fields that are unknown are left out.';
COMMENT ON COLUMN metric_series.metric IS 'Metric (run_metrics.metric).';
COMMENT ON COLUMN metric_series.unit IS 'Unit of the values.';
COMMENT ON COLUMN metric_series.points IS 'Values; changes are looked for from 10 on.';
COMMENT ON COLUMN metric_series.series IS 'The values and the runs they are of, with version and commit (the tag commit), ordered by started_at, then run_id.';

-- The first that is not NULL, of values of the rows that match a series, the strongest first.
CREATE OR REPLACE MACRO _first_set(list_of) AS
  list_filter(list_of, lambda setting: setting IS NOT NULL)[1];

CREATE OR REPLACE MACRO _matches(name, pattern) AS name = pattern OR coalesce(name, '') GLOB pattern;

-- Whether a metric is one of `patterns`, a JSON list of names and glob patterns.
CREATE OR REPLACE MACRO _matches_any(metric, patterns) AS len(
  list_filter(from_json(patterns, '["VARCHAR"]'), lambda pattern: _matches(metric, pattern))
) > 0;

-- All rows of change_thresholds in one list, the strongest first.
CREATE OR REPLACE VIEW _threshold_rows AS
SELECT
  list(
    t ORDER BY t.shipped, length(regexp_replace(concat(app, machine, metric), '[*?]', '', 'g')) DESC,
      t.rowid DESC
  ) AS every
FROM change_thresholds AS t;

-- Series with what counts as a change in them, and all that the function series_findings finds.
CREATE OR REPLACE VIEW _series_findings AS
WITH
  matched AS (
    SELECT
      s.*,
      list_filter(
        t.every,
        lambda t: _matches(s.app, t.app) AND _matches(s.machine, t.machine)
          AND _matches(s.metric, t.metric)
      ) AS ours
    FROM metric_series AS s
    CROSS JOIN _threshold_rows AS t
  ),

  judged AS (
    SELECT
      app, machine, fields, metric, unit, points, series,
      _first_set(list_transform(ours, lambda t: t.significance)) AS significance,
      _first_set(list_transform(ours, lambda t: t.smallest_change)) AS smallest_change,
      _better(_first_set(list_transform(ours, lambda t: t.better)), metric, unit) AS better
    FROM matched
  )

SELECT
  *,
  series_findings(list_transform(series, lambda point: point.value), significance) AS findings
FROM judged;

-- The annotation of a change: at its version, where that is new there, or less than half the
-- shortest level (8 runs) away.
CREATE OR REPLACE MACRO _annotation(annotations, app, metric, series, place) AS list_filter(
  annotations,
  lambda a: a.app = app AND _matches(metric, a.metric)
    AND (
      (series[place + 1].version = a.version AND series[place].version <> a.version)
      OR abs(len(list_filter(series, lambda point: point.started_at < a.started_at)) - place) < 4
    )
)[1];

CREATE OR REPLACE MACRO _change(level) AS
  (level."after" - level."before") / nullif(abs(level."before"), 0);

CREATE OR REPLACE MACRO _is_large(level, smallest) AS
  abs(coalesce(_change(level), CAST('infinity' AS DOUBLE))) >= coalesce(smallest, 0);

-- Changes, confirmed (more_runs is NULL) and provisional. `begins` is where the level before a
-- confirmed one begins in `series`, `ends` where its own does; `drifts`, whether the levels do.
CREATE OR REPLACE VIEW _found_changes AS
WITH
  large AS (
    SELECT
      * EXCLUDE (findings),
      list_filter(findings.changes, lambda c: _is_large(c, smallest_change)) AS changes,
      list_filter(findings.provisional, lambda c: _is_large(c, smallest_change)) AS provisional,
      findings.drift IS NOT NULL AS drifts
    FROM _series_findings
  ),

  found AS (
    SELECT
      * EXCLUDE (changes, provisional),
      unnest(
        list_transform(
          changes,
          lambda c, i: {
            'index': c.index, 'before': c.before, 'after': c.after, 'p_value': c.p_value,
            'more_runs': CAST(NULL AS INTEGER), 'begins': coalesce(changes[i - 1].index, 0),
            'ends': coalesce(changes[i + 1].index, points)
          }
        )
        || list_transform(
          provisional,
          lambda c: {
            'index': c.index, 'before': c.before, 'after': c.after, 'p_value': c.p_value,
            'more_runs': c.more_runs, 'begins': NULL, 'ends': NULL
          }
        )
      ) AS found
    FROM large
  ),

  placed AS (
    SELECT *, series[found.index + 1] AS run, series[found.index] AS previous
    FROM found
  ),

  -- all annotations of changes in one list, the latest first
  annotations AS (
    SELECT coalesce(list(a ORDER BY a.said_at DESC, a.rowid DESC), []) AS every
    FROM acknowledgements AS a
    WHERE a.reason <> 'invalid run'
  ),

  annotated AS (
    SELECT p.*, _annotation(a.every, app, metric, series, found.index) AS annotation
    FROM placed AS p
    CROSS JOIN annotations AS a
  )

SELECT
  app, machine, fields, metric, unit, points,
  found.index AS "index",
  run.run_id AS run_id, run.version AS version, run."commit" AS "commit",
  run.started_at AS started_at,
  previous.run_id AS previous_run_id, previous.version AS previous_version,
  previous."commit" AS previous_commit,
  found.before AS "before", found.after AS "after",
  _change(found) AS change,
  CASE
    WHEN better = 'neither' OR found.after = found.before THEN NULL
    WHEN better IN ('lower', 'higher')
      THEN if((better = 'lower') = (found.after < found.before), 'better', 'worse')
  END AS direction,
  found.p_value AS p_value,
  significance,
  CASE
    WHEN annotation.reason = 'fixed' THEN concat('fixed in ', annotation.fixed_in)
    ELSE annotation.reason
  END AS acknowledged,
  annotation.note AS note,
  found.more_runs AS more_runs, series, found.begins AS begins, found.ends AS ends, drifts
FROM annotated;

CREATE OR REPLACE VIEW change_points AS
SELECT * EXCLUDE (more_runs, series, begins, ends, drifts)
FROM _found_changes
WHERE more_runs IS NULL;

COMMENT ON VIEW change_points IS 'One row is a place where the level of a metric of an application on a machine changed permanently, in the series of metric_series. A change lasts at least 5 runs at an end of the series and 8 within; series of fewer than 10 runs have none, and a steady drift is not a change: in a series that drifts, changes are what the drift leaves.';
COMMENT ON COLUMN change_points.app IS 'Application.';
COMMENT ON COLUMN change_points.machine IS 'Machine (metric_series.machine).';
COMMENT ON COLUMN change_points.fields IS 'What the runs of the series have in common (series_fields).';
COMMENT ON COLUMN change_points.metric IS 'Metric (run_metrics.metric).';
COMMENT ON COLUMN change_points.unit IS 'Unit of before and after.';
COMMENT ON COLUMN change_points.points IS 'Runs in the series.';
COMMENT ON COLUMN change_points."index" IS 'Position of the first run after the change in its series, from 0.';
COMMENT ON COLUMN change_points.run_id IS 'First run after the change. A condition on it needs one on app beside it: without, the series of all applications are searched.';
COMMENT ON COLUMN change_points.version IS 'Its version.';
COMMENT ON COLUMN change_points."commit" IS 'Its commit (the tag commit).';
COMMENT ON COLUMN change_points.started_at IS 'When it started.';
COMMENT ON COLUMN change_points.previous_run_id IS 'Last run before the change.';
COMMENT ON COLUMN change_points.previous_version IS 'Its version.';
COMMENT ON COLUMN change_points.previous_commit IS 'Its commit: the cause is among the commits after it, up to commit.';
COMMENT ON COLUMN change_points."before" IS 'Median from the change before to this one; in a series that drifts, as it is at the change.';
COMMENT ON COLUMN change_points."after" IS 'Median from this change to the next one, likewise.';
COMMENT ON COLUMN change_points.change IS 'Relative change: 0.1 is 10 % more; NULL where it was 0 before.';
COMMENT ON COLUMN change_points.direction IS 'worse or better, by what is better for the metric (change_thresholds.better, else its unit); NULL where that is not known.';
COMMENT ON COLUMN change_points.p_value IS 'Probability that a series without a change shows one as clear as this anywhere.';
COMMENT ON COLUMN change_points.significance IS 'The largest p_value that counts, as set for the series (change_thresholds).';
COMMENT ON COLUMN change_points.acknowledged IS 'What is known of it (pwh ack): expected, noise, or fixed in a version; NULL where nothing is.';
COMMENT ON COLUMN change_points.note IS 'Note of that annotation.';

CREATE OR REPLACE VIEW provisional_changes AS
SELECT * EXCLUDE (significance, series, begins, ends, drifts), points - "index" AS age
FROM _found_changes
WHERE more_runs IS NOT NULL;

COMMENT ON VIEW provisional_changes IS 'One row is a level at the end of a series that is no change point yet: it has only 2 to 4 runs, or its p-value is above the significance (up to 0.1).';
COMMENT ON COLUMN provisional_changes.app IS 'Application.';
COMMENT ON COLUMN provisional_changes.machine IS 'Machine (metric_series.machine).';
COMMENT ON COLUMN provisional_changes.fields IS 'What the runs of the series have in common (series_fields).';
COMMENT ON COLUMN provisional_changes.metric IS 'Metric (run_metrics.metric).';
COMMENT ON COLUMN provisional_changes.unit IS 'Unit of before and after.';
COMMENT ON COLUMN provisional_changes.points IS 'Runs in the series.';
COMMENT ON COLUMN provisional_changes."index" IS 'Position of the first run after the change in its series, from 0.';
COMMENT ON COLUMN provisional_changes.run_id IS 'First run after the change (as change_points.run_id).';
COMMENT ON COLUMN provisional_changes.version IS 'Its version.';
COMMENT ON COLUMN provisional_changes."commit" IS 'Its commit (the tag commit).';
COMMENT ON COLUMN provisional_changes.started_at IS 'When it started.';
COMMENT ON COLUMN provisional_changes.previous_run_id IS 'Last run before the change.';
COMMENT ON COLUMN provisional_changes.previous_version IS 'Its version.';
COMMENT ON COLUMN provisional_changes.previous_commit IS 'Its commit: the cause is among the commits after it, up to commit.';
COMMENT ON COLUMN provisional_changes."before" IS 'Median from the change before to this one; where two levels alternated there, after less the smallest shift of both that explains the runs since.';
COMMENT ON COLUMN provisional_changes."after" IS 'Median from this change to the next one.';
COMMENT ON COLUMN provisional_changes.change IS 'Relative change: 0.1 is 10 % more; NULL where it was 0 before.';
COMMENT ON COLUMN provisional_changes.direction IS 'worse or better, by what is better for the metric (change_thresholds.better, else its unit); NULL where that is not known.';
COMMENT ON COLUMN provisional_changes.p_value IS 'Probability that a series without a change shows one as clear as this anywhere.';
COMMENT ON COLUMN provisional_changes.acknowledged IS 'What is known of it (pwh ack): expected, noise, or fixed in a version; NULL where nothing is.';
COMMENT ON COLUMN provisional_changes.note IS 'Note of that annotation.';
COMMENT ON COLUMN provisional_changes.more_runs IS 'How many more runs would confirm it, if they stay at that level.';
COMMENT ON COLUMN provisional_changes.age IS 'Runs that it has.';
