-- requires: metric_series
--
-- What is no change: disturbances, and the state of each series.

CREATE OR REPLACE VIEW disturbances AS -- One row is a burst of runs far from the level around them: 2 to 7 runs inside a series, 2 to 4 at its start. Bursts are no changes and do not count as noise; runs that were measured wrongly are removed from the series by pwh ack.
WITH
  found AS (
    SELECT * EXCLUDE (disturbances), unnest(disturbances) AS found
    FROM series
  )

SELECT
  series_id, app, machine, fields, metric,
  unit, -- Unit of usual and disturbed.
  points,
  found."first" AS "first", -- Position of its first run in the series, from 0.
  found."last" AS "last", -- Position of its last run.
  found.run_id AS run_id, -- First run of it.
  found.version AS version, -- Its version.
  found.started_at AS started_at, -- When its commit was made, else when it started.
  found.last_run_id AS last_run_id, -- Last run of it.
  found.last_version AS last_version, -- Its version.
  found.last_started_at AS last_started_at, -- When its commit was made, else when it started.
  found.usual AS usual, -- Level around the burst.
  found.disturbed AS disturbed, -- Median of the burst.
  (found.disturbed - found.usual) / nullif(abs(found.usual), 0) AS change -- Relative difference: 0.1 is 10 % more; NULL where usual is 0.
FROM found;

CREATE OR REPLACE VIEW series_states AS -- One row is a series of metric_series: what its noise is like, and which changes could be seen in it.
SELECT
  series_id, app, machine, fields, metric,
  unit, -- Unit of level, low and high.
  points,
  state, -- The first that applies of short (fewer than 10 runs: no change can be confirmed), alternating (between two levels: low, high), disturbed (a fifth of the runs in bursts), wandering (a run is so like its neighbours that levels are not seen), noisy (smallest_visible above a quarter), drifting (in a straight line: drift), steady.
  level, -- Median since the last change.
  smallest_visible, -- Smallest lasting relative change that would be found in four of five such series (in two to four of five where runs are like their neighbours), in the middle of as many runs (10 at least); 0.1 is 10 %; NULL where unknown, as below 9 runs.
  changes_of_any_size AS changes, -- Number of its change points, of any size.
  provisional_of_any_size AS provisional, -- Number of its provisional changes, of any size.
  len(disturbances) AS disturbances, -- Number of its disturbances.
  low, -- Lower one of two levels that alternate.
  high, -- Upper one of two levels that alternate.
  high_share, -- Share of the runs in the upper level.
  drift, -- Rise of a series that drifts over all its runs, without its changes, relative to level; NULL for others.
  latest_outlier, -- Value of the latest run, where it is farther from the level than smallest_visible, and 1.5 times as far as any run before since the last change; else NULL. It is no change yet.
  latest_outlier_run_id, -- That run.
  overall_change -- Relative difference of the medians of the last and the first quarter of its runs: 0.1 is 10 % more, however it came; NULL below 10 runs, and where the first is 0.
FROM series;
