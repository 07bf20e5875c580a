-- requires: metric_series
--
-- What is no change: disturbances, and the state of each series.

CREATE OR REPLACE VIEW disturbances AS
WITH
  found AS (
    SELECT * EXCLUDE (disturbances), unnest(disturbances) AS found
    FROM series
  )

SELECT
  series_id, app, machine, fields, metric, unit, points,
  found."first" AS "first", found."last" AS "last",
  found.run_id AS run_id, found.version AS version, found.started_at AS started_at,
  found.last_run_id AS last_run_id, found.last_version AS last_version,
  found.last_started_at AS last_started_at,
  found.usual AS usual, found.disturbed AS disturbed,
  (found.disturbed - found.usual) / nullif(abs(found.usual), 0) AS change
FROM found;

COMMENT ON VIEW disturbances IS 'One row is a burst of runs far from the level around them: 2 to 7 runs inside a series, 2 to 4 at its start. Bursts are no changes and do not count as noise; runs that were measured wrongly are removed from the series by pwh ack.';
COMMENT ON COLUMN disturbances.unit IS 'Unit of usual and disturbed.';
COMMENT ON COLUMN disturbances."first" IS 'Position of its first run in the series, from 0.';
COMMENT ON COLUMN disturbances."last" IS 'Position of its last run.';
COMMENT ON COLUMN disturbances.run_id IS 'First run of it.';
COMMENT ON COLUMN disturbances.version IS 'Its version.';
COMMENT ON COLUMN disturbances.started_at IS 'When its commit was made, else when it started.';
COMMENT ON COLUMN disturbances.last_run_id IS 'Last run of it.';
COMMENT ON COLUMN disturbances.last_version IS 'Its version.';
COMMENT ON COLUMN disturbances.last_started_at IS 'When its commit was made, else when it started.';
COMMENT ON COLUMN disturbances.usual IS 'Level around the burst.';
COMMENT ON COLUMN disturbances.disturbed IS 'Median of the burst.';
COMMENT ON COLUMN disturbances.change IS 'Relative difference: 0.1 is 10 % more; NULL where usual is 0.';

CREATE OR REPLACE VIEW series_states AS
SELECT
  series_id, app, machine, fields, metric, unit, points, state, level, smallest_visible,
  changes_of_any_size AS changes, provisional_of_any_size AS provisional,
  len(disturbances) AS disturbances,
  low, high, high_share, drift, latest_outlier, latest_outlier_run_id, overall_change
FROM series;

COMMENT ON VIEW series_states IS 'One row is a series of metric_series: what its noise is like, and which changes could be seen in it.';
COMMENT ON COLUMN series_states.unit IS 'Unit of level, low and high.';
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
