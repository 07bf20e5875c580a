-- requires: metric_series, directions
--
-- Change points: where the level of a metric of an application on a machine changed permanently.
--
-- The rows of change_thresholds that match a series define what counts as a change.

-- The first that is not NULL, of values of the rows that match a series, the strongest first.
CREATE OR REPLACE MACRO _first_set(list_of) AS
  list_filter(list_of, lambda setting: setting IS NOT NULL)[1];

CREATE OR REPLACE MACRO _matches(name, pattern) AS name = pattern OR coalesce(name, '') GLOB pattern;

-- Whether a metric is one of `patterns`, a JSON list of names and glob patterns.
CREATE OR REPLACE MACRO _matches_any(metric, patterns) AS len(
  list_filter(CAST(patterns AS VARCHAR[]), lambda pattern: _matches(metric, pattern))
) > 0;

-- All rows of change_thresholds in one list, the strongest first.
CREATE OR REPLACE VIEW _threshold_rows AS
SELECT
  list(
    t ORDER BY t.shipped, length(regexp_replace(concat(app, machine, metric), '[*?]', '', 'g')) DESC,
      t.rowid DESC
  ) AS every
FROM change_thresholds AS t;

-- Which of the rows of change_thresholds match a series.
CREATE OR REPLACE MACRO _thresholds_of(rows_of_all, of_app, of_machine, of_metric) AS list_filter(
  rows_of_all,
  lambda t: _matches(of_app, t.app) AND _matches(of_machine, t.machine)
    AND _matches(of_metric, t.metric)
);

CREATE OR REPLACE MACRO _change(level) AS
  (level."after" - level."before") / nullif(abs(level."before"), 0);

CREATE OR REPLACE MACRO _is_large(level, smallest) AS
  abs(coalesce(_change(level), CAST('infinity' AS DOUBLE))) >= coalesce(smallest, 0);

-- Changes of events, a row each.
CREATE OR REPLACE VIEW _event_members AS
SELECT event_id, app, c.series_id AS series_id, c.run_id AS run_id
FROM (SELECT event_id, app, unnest(changes) AS c FROM _change_events WHERE state = 'present');

-- The runs on both sides of a place in a series; annotations are of changes less than half the
-- shortest level (8 runs) away.
CREATE OR REPLACE MACRO _boundary(series, first) AS {
  'index': first, 'run_id': series[first + 1].run_id, 'version': series[first + 1].version,
  'commit': series[first + 1]."commit", 'started_at': series[first + 1].started_at,
  'previous_run_id': series[first].run_id, 'previous_version': series[first].version,
  'previous_commit': series[first]."commit",
  'near_after': CASE WHEN first > 3 THEN series[first - 3].started_at END,
  'near_until': series[first + 4].started_at
};

-- Runs of the version or commit in which a change is said to be fixed, and all after them, with
-- their number from there on.
CREATE OR REPLACE VIEW _runs_since_fix AS
SELECT
  p.app, p.configuration_id, f.fixed_in, p.run_id, p.counted_at,
  p.place + 1 - min(p.place) FILTER (
    r.version = f.fixed_in
    OR length(f.fixed_in) >= 7 AND starts_with(g."commit", lower(f.fixed_in))
  ) OVER (PARTITION BY p.configuration_id, f.fixed_in) AS nth
FROM (SELECT DISTINCT app, fixed_in FROM acknowledgements WHERE fixed_in IS NOT NULL) AS f
JOIN _run_places AS p ON f.app = p.app
JOIN run_groups AS g ON p.run_id = g.run_id
JOIN runs AS r ON p.run_id = r.run_id
QUALIFY nth >= 1;

-- The level of each series in the first five runs since a fix, and when the first of them was.
CREATE OR REPLACE VIEW _fix_levels AS
SELECT
  _series_id(f.configuration_id, m.metric) AS series_id, f.fixed_in, count(*) AS runs,
  median(m.value) AS level, arg_min(f.counted_at, f.nth) AS since
FROM _runs_since_fix AS f
JOIN _scalars AS m ON f.run_id = m.run_id
WHERE f.nth <= 5
GROUP BY ALL;

-- Changes, confirmed (more_runs is NULL) and provisional: also the newest version, where it differs
-- for certain from the one before (version_comparisons) and no change is next to where it begins. Its
-- figures are then those of that comparison, more_runs is 0 where history alone shows nothing. An
-- annotation is of a change of its event, of one at its version, where that is new there, or of one
-- near its start.
CREATE OR REPLACE VIEW _found_changes AS
WITH
  compared AS (
    SELECT
      s.*, v,
      list_filter(s.changes, lambda c: abs(c.index - s.newest_from[1].index) <= 4) AS near
    FROM series AS s
    LEFT JOIN version_comparisons AS v
      ON s.series_id = v.series_id AND s.newest_from[1].version = v.version
      AND s.newest_from[1].previous_version = v.previous_version AND v.verdict IN ('better', 'worse')
      -- one run may be an outlier
      AND v.noise <> 'step' AND (v.runs_after > 1 OR v.noise IN ('repetitions', 'counts'))
  ),

  found AS (
    SELECT
      series_id, app, machine, fields, metric, unit, points, significance,
      unnest(
        CASE
          WHEN v.series_id IS NULL OR len(list_filter(near, lambda c: c.more_runs IS NULL)) > 0
            THEN changes
          ELSE list_append(
            list_filter(changes, lambda c: abs(c.index - newest_from[1].index) > 4),
            struct_insert(
              newest_from[1],
              "before" := v."before", "after" := v."after", p_value := v.p_value,
              more_runs := coalesce(near[1].more_runs, 0), low := v.low, high := v.high,
              p_here := v.p_value, runs_before := v.runs_before, runs_after := v.runs_after,
              next_run_id := NULL, next_started_at := NULL, runs := v.runs, against := v.against
            )
          )
        END
      ) AS found
    FROM compared
  ),

  judged AS (
    SELECT
      f.*,
      _better(
        _first_set(
          list_transform(
            _thresholds_of(t.every, f.app, f.machine, f.metric), lambda t: t.better
          )
        ),
        f.app, f.metric, f.unit
      ) AS better
    FROM found AS f
    CROSS JOIN _threshold_rows AS t
  ),

  -- all annotations of changes in one list, the latest first
  annotations AS (
    SELECT coalesce(list(a ORDER BY a.said_at DESC, a.rowid DESC), []) AS every
    FROM acknowledgements AS a
    WHERE a.reason <> 'invalid run'
  ),

  annotated AS (
    SELECT
      j.*, m.event_id,
      list_filter(
        a.every,
        lambda a: a.app = j.app AND _matches(j.metric, a.metric)
          AND CASE
            -- of neighbouring events each has its own
            WHEN a.event_id <> m.event_id THEN false
            WHEN a.event_id = m.event_id THEN true
            ELSE (j.found.version = a.version AND j.found.previous_version <> a.version)
            OR (
              coalesce(j.found.near_after < a.started_at, true)
              AND coalesce(a.started_at <= j.found.near_until, true)
            )
          END
      )[1] AS annotation
    FROM judged AS j
    CROSS JOIN annotations AS a
    LEFT JOIN _event_members AS m
      ON j.series_id = m.series_id AND j.found.run_id = m.run_id AND j.found.more_runs IS NULL
  ),

  -- a fix that three runs since show to be none, or that the change came after, opens it again
  checked AS (
    SELECT
      a.*,
      CASE
        WHEN a.annotation.reason IS DISTINCT FROM 'fixed' THEN NULL
        WHEN coalesce(f.runs, 0) < 3 THEN 'not measured'
        WHEN f.since < a.found.started_at
          OR (f.level > (a.found."before" + a.found."after") / 2)
          = (a.found."after" > a.found."before")
          THEN 'fails'
        ELSE 'holds'
      END AS fix,
      CASE WHEN fix = 'fails' THEN 'reopened' ELSE coalesce(a.annotation.reason, 'new') END AS state
    FROM annotated AS a
    LEFT JOIN _fix_levels AS f
      ON a.series_id = f.series_id AND a.annotation.fixed_in = f.fixed_in
  )

SELECT
  series_id, event_id, app, machine, fields, metric, unit, points,
  found."index" AS "index",
  found.run_id AS run_id, found.version AS version, found."commit" AS "commit",
  found.started_at AS started_at,
  found.previous_run_id AS previous_run_id, found.previous_version AS previous_version,
  found.previous_commit AS previous_commit,
  found."before" AS "before", found."after" AS "after",
  _change(found) AS change,
  found.low - 1 AS change_low, found.high - 1 AS change_high,
  CASE
    WHEN better = 'neither' OR found."after" = found."before" THEN NULL
    WHEN better IN ('lower', 'higher')
      THEN if((better = 'lower') = (found."after" < found."before"), 'better', 'worse')
  END AS direction,
  found.p_value AS p_value,
  significance,
  CASE
    WHEN state = 'fixed' THEN concat('fixed in ', annotation.fixed_in)
    WHEN state IN ('expected', 'noise') THEN state
  END AS acknowledged,
  annotation.note AS note,
  {
    'state': state, 'fix': fix, 'fixed_in': annotation.fixed_in, 'owner': annotation.owner,
    'ticket': annotation.ticket, 'note': annotation.note, 'said_by': annotation.said_by,
    'said_at': annotation.said_at
  } AS triage,
  found.more_runs AS more_runs,
  found.runs_before AS runs_before, found.runs_after AS runs_after, found.p_here AS p_here,
  {
    'runs': found.runs, 'against': found.against, 'next_run_id': found.next_run_id,
    'next_started_at': found.next_started_at
  } AS sides
FROM checked;

CREATE OR REPLACE VIEW change_points AS -- One row is a place where the level of a metric of an application on a machine changed permanently, in the series of metric_series. A change lasts at least 5 runs at an end of the series and 8 within; series of fewer than 10 runs have none, and a steady drift is not a change: in a series that drifts, changes are what the drift leaves. A series of more than 2000 runs is searched in parts of 2000 runs, each of which begins 1000 after the one before.
SELECT * EXCLUDE (more_runs, sides, p_here, triage)
FROM _found_changes
WHERE more_runs IS NULL;

COMMENT ON COLUMN change_points.event_id IS 'Event that it is part of (change_events.event_id).';
COMMENT ON COLUMN change_points.unit IS 'Unit of before and after.';
COMMENT ON COLUMN change_points.run_id IS 'First run after the change.';
COMMENT ON COLUMN change_points.version IS 'Its version.';
COMMENT ON COLUMN change_points.started_at IS 'When its commit was made, else when it started.';
COMMENT ON COLUMN change_points."before" IS 'Geometric mean from the change before to this one, of the runs that are in no burst, or mean where values are not positive; in a series that drifts, as it is at the change.';
COMMENT ON COLUMN change_points."after" IS 'The same from this change to the next one.';
COMMENT ON COLUMN change_points.p_value IS 'Probability that a series without a change, or part of 2000 runs of one, shows one as clear as this anywhere.';
COMMENT ON COLUMN change_points.significance IS 'The largest p_value that counts, as set for the series (change_thresholds).';
COMMENT ON COLUMN change_points.note IS 'Note of that annotation.';
COMMENT ON COLUMN change_points.runs_before IS 'Runs of the level before, up to the previous change.';
COMMENT ON COLUMN change_points.runs_after IS 'Runs of the level after, up to the next change.';

CREATE OR REPLACE VIEW provisional_changes AS -- One row is a level at the end of a series that is no change point yet: it has only 2 to 4 runs, or its p-value is above the significance (up to 0.1). Or it is the newest version, where it differs for certain from the one before: its figures are those of version_comparisons.
SELECT * EXCLUDE (event_id, significance, sides, p_here, triage),
  points - "index" AS age -- Runs that it has.
FROM _found_changes
WHERE more_runs IS NOT NULL;

COMMENT ON COLUMN provisional_changes.unit IS 'Unit of before and after.';
COMMENT ON COLUMN provisional_changes.run_id IS 'First run after the change (as change_points.run_id).';
COMMENT ON COLUMN provisional_changes.version IS 'Its version.';
COMMENT ON COLUMN provisional_changes.started_at IS 'When its commit was made, else when it started.';
COMMENT ON COLUMN provisional_changes."before" IS 'Mean from the change before to this one (change_points.before); where two levels alternated there, after less the smallest shift of both that explains the runs since.';
COMMENT ON COLUMN provisional_changes."after" IS 'The same from this change to the next one.';
COMMENT ON COLUMN provisional_changes.p_value IS 'Probability that a series without a change shows one as clear as this anywhere; of the newest version that differs for certain from the one before, that of two equal versions (version_comparisons.p_value).';
COMMENT ON COLUMN provisional_changes.note IS 'Note of that annotation.';
COMMENT ON COLUMN provisional_changes.runs_before IS 'Runs of the level before.';
COMMENT ON COLUMN provisional_changes.runs_after IS 'Runs of this level.';
COMMENT ON COLUMN provisional_changes.more_runs IS 'How many more runs would confirm it, if they stay at that level, at most 20; of more than 3, half as many often do; 0 where the newest version differs for certain from the one before, which the history alone does not show.';
