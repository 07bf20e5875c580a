-- requires: change_points
--
-- What is no change: disturbances, and the state of each series.

CREATE OR REPLACE VIEW disturbances AS
WITH
  found AS (
    SELECT *, unnest(findings.disturbances) AS found
    FROM _series_findings
  ),

  placed AS (
    SELECT *, series[found.first + 1] AS run, series[found.last + 1] AS last_run
    FROM found
  )

SELECT
  app, machine, fields, metric, unit, points,
  found.first AS "first", found.last AS "last",
  run.run_id AS run_id, run.version AS version, run.started_at AS started_at,
  last_run.run_id AS last_run_id, last_run.version AS last_version,
  last_run.started_at AS last_started_at,
  found.usual AS usual, found.disturbed AS disturbed,
  (found.disturbed - found.usual) / nullif(abs(found.usual), 0) AS change
FROM placed;

COMMENT ON VIEW disturbances IS 'One row is a burst of runs far from the level around them: 2 to 7 runs inside a series, 2 to 4 at its start. Bursts are no changes and do not count as noise; runs that were measured wrongly are removed from the series by pwh ack.';
COMMENT ON COLUMN disturbances.app IS 'Application.';
COMMENT ON COLUMN disturbances.machine IS 'Machine (metric_series.machine).';
COMMENT ON COLUMN disturbances.fields IS 'What the runs of the series have in common (series_fields).';
COMMENT ON COLUMN disturbances.metric IS 'Metric (run_metrics.metric).';
COMMENT ON COLUMN disturbances.unit IS 'Unit of usual and disturbed.';
COMMENT ON COLUMN disturbances.points IS 'Runs in the series.';
COMMENT ON COLUMN disturbances."first" IS 'Position of its first run in the series, from 0.';
COMMENT ON COLUMN disturbances."last" IS 'Position of its last run.';
COMMENT ON COLUMN disturbances.run_id IS 'First run of it.';
COMMENT ON COLUMN disturbances.version IS 'Its version.';
COMMENT ON COLUMN disturbances.started_at IS 'When it started.';
COMMENT ON COLUMN disturbances.last_run_id IS 'Last run of it.';
COMMENT ON COLUMN disturbances.last_version IS 'Its version.';
COMMENT ON COLUMN disturbances.last_started_at IS 'When it started.';
COMMENT ON COLUMN disturbances.usual IS 'Level around the burst.';
COMMENT ON COLUMN disturbances.disturbed IS 'Median of the burst.';
COMMENT ON COLUMN disturbances.change IS 'Relative difference: 0.1 is 10 % more; NULL where usual is 0.';

CREATE OR REPLACE VIEW series_states AS
WITH
  levels AS (
    SELECT
      *,
      coalesce(
        findings.changes[-1].after, list_median(list_transform(series, lambda point: point.value))
      ) AS level,
      list_transform(
        series[coalesce(findings.changes[-1]."index", 0) + 1:], lambda point: point.value
      ) AS since,
      points // 4 AS quarter
    FROM _series_findings
  ),

  -- one run is no level: all that can be said is that none before was nearly as far away
  ends AS (
    SELECT
      *,
      abs(since[-1] - level) AS off,
      coalesce(list_max(list_transform(since[:-2], lambda value: abs(value - level))), 0) AS usual,
      list_median(list_transform(series[:quarter], lambda point: point.value)) AS opening,
      list_median(list_transform(series[-quarter:], lambda point: point.value)) AS closing
    FROM levels
  )

SELECT
  app, machine, fields, metric, unit, points,
  findings.state AS state,
  level,
  findings.smallest_change / nullif(abs(level), 0) AS smallest_visible,
  len(findings.changes) AS changes,
  len(findings.provisional) AS provisional,
  len(findings.disturbances) AS disturbances,
  findings.modes.low AS low, findings.modes.high AS high,
  findings.modes.high_share AS high_share,
  findings.drift / nullif(abs(level), 0) AS drift,
  CASE
    WHEN points >= 10 AND len(findings.provisional) = 0
      AND off > greatest(1.5 * usual, coalesce(findings.smallest_change, 0))
      THEN since[-1]
  END AS latest_outlier,
  CASE WHEN latest_outlier IS NOT NULL THEN series[-1].run_id END AS latest_outlier_run_id,
  CASE WHEN points >= 10 THEN (closing - opening) / nullif(abs(opening), 0) END AS overall_change
FROM ends;

COMMENT ON VIEW series_states IS 'One row is a series of metric_series: what its noise is like, and which changes could be seen in it.';
COMMENT ON COLUMN series_states.app IS 'Application.';
COMMENT ON COLUMN series_states.machine IS 'Machine (metric_series.machine).';
COMMENT ON COLUMN series_states.fields IS 'What the runs of the series have in common (series_fields).';
COMMENT ON COLUMN series_states.metric IS 'Metric (run_metrics.metric).';
COMMENT ON COLUMN series_states.unit IS 'Unit of level, low and high.';
COMMENT ON COLUMN series_states.points IS 'Runs in the series.';
COMMENT ON COLUMN series_states.state IS 'The first that applies of short (fewer than 10 runs: no change can be confirmed), alternating (between two levels: low, high), disturbed (a fifth of the runs in bursts), wandering (a run is so like its neighbours that levels are not seen), noisy (smallest_visible above a quarter), drifting (in a straight line: drift), steady.';
COMMENT ON COLUMN series_states.level IS 'Median since the last change.';
COMMENT ON COLUMN series_states.smallest_visible IS 'Smallest lasting relative change that would be found in four of five such series, in the middle of as many runs (10 at least); 0.1 is 10 %; NULL where unknown, as below 9 runs.';
COMMENT ON COLUMN series_states.changes IS 'Number of its change points, of any size.';
COMMENT ON COLUMN series_states.provisional IS 'Number of its provisional changes, of any size.';
COMMENT ON COLUMN series_states.disturbances IS 'Number of its disturbances.';
COMMENT ON COLUMN series_states.low IS 'Lower one of two levels that alternate.';
COMMENT ON COLUMN series_states.high IS 'Upper one of two levels that alternate.';
COMMENT ON COLUMN series_states.high_share IS 'Share of the runs in the upper level.';
COMMENT ON COLUMN series_states.drift IS 'Rise of a series that drifts over all its runs, without its changes, relative to level; NULL for others.';
COMMENT ON COLUMN series_states.latest_outlier IS 'Value of the latest run, where it is farther from the level than smallest_visible, and 1.5 times as far as any run before since the last change; else NULL. It is no change yet.';
COMMENT ON COLUMN series_states.latest_outlier_run_id IS 'That run.';
COMMENT ON COLUMN series_states.overall_change IS 'Relative difference of the medians of the last and the first quarter of its runs: 0.1 is 10 % more, however it came; NULL below 10 runs, and where the first is 0.';
