-- Every scalar of every run in one tall view, for trends and comparisons.

-- A number for text, the same in every warehouse. Of 53 bits, which all clients can represent.
CREATE OR REPLACE MACRO _number_of(text) AS CAST(md5_number_lower(text) >> 11 AS BIGINT);

CREATE OR REPLACE MACRO _series_id(configuration_id, metric) AS
  _number_of(concat_ws(chr(0), configuration_id, metric));

CREATE OR REPLACE VIEW _scalars AS
SELECT
  run_id, 'wall_seconds' AS metric, wall_seconds AS value, 's' AS unit,
  NULL AS measurements, NULL AS deviation
FROM runs
WHERE wall_seconds IS NOT NULL
UNION ALL
SELECT run_id, metric, value, unit, measurements, deviation
FROM run_scalars
WHERE value IS NOT NULL;

CREATE OR REPLACE VIEW run_metrics AS -- One row is one scalar of one run.
WITH
  -- joined here, a row a run, which takes a hundredth of what a join of all metrics would
  grouped AS (
    SELECT r.*, g.configuration_id, g.committed_at AS dated_at, v.version_order
    FROM runs AS r
    LEFT JOIN run_groups AS g ON r.run_id = g.run_id
    LEFT JOIN app_versions AS v ON r.app = v.app AND r.version = v.version
  )

SELECT
  m.run_id, r.app, r.version,
  r.machine, -- Machine; values of different machines are not one series.
  r.started_at,
  m.metric, -- Metric: wall_seconds, counter:EVENT, per_cycle:EVENT, seconds:FUNCTION, functions:..., tasks:..., blocks:..., segments:..., metric:NAME (of benchmarks, the mean over repetitions)
  m.value, -- Its value.
  m.unit, -- Unit; 1 for a share, NULL where there is none or the tool does not record it.
  CASE WHEN coalesce(r.dated_at, r.started_at) IS NOT NULL AND r.configuration_id IS NOT NULL
    THEN _series_id(r.configuration_id, m.metric) END AS series_id, -- Series of the value (series.series_id, metric_series); of a run on another branch, the one that it is compared with. NULL for runs that are in none: failed and invalid ones, those without application, or start and commit, and those written by hand until pwh refresh.
  r.version_order, -- Place of the version among those of the application (app_versions).
  r.ranks, r.threads,
  m.measurements, -- Measurements that it rests on, where that is known: repetitions within the run, or about how many samples of a profiler.
  m.deviation -- Standard deviation of one measurement over their mean; 0 of what the tool counts exactly, NULL where it is not known, or its samples say it.
FROM _scalars AS m
JOIN grouped AS r USING (run_id);
