-- Every scalar of every run in one tall view, for trends and comparisons.

CREATE OR REPLACE VIEW run_metrics AS
WITH
  metrics AS (
    SELECT run_id, 'wall_seconds' AS metric, wall_seconds AS value, 's' AS unit FROM runs
    UNION ALL
    SELECT run_id, metric, value, unit FROM run_scalars
  )

SELECT m.run_id, r.app, r.version, r.machine, r.started_at, m.metric, m.value, m.unit
FROM metrics AS m
JOIN runs AS r USING (run_id)
WHERE m.value IS NOT NULL;

COMMENT ON VIEW run_metrics IS 'One row is one scalar of one run.';
COMMENT ON COLUMN run_metrics.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN run_metrics.app IS 'Application.';
COMMENT ON COLUMN run_metrics.version IS 'Version of the application.';
COMMENT ON COLUMN run_metrics.machine IS 'Machine; values of different machines are not one series.';
COMMENT ON COLUMN run_metrics.started_at IS 'When the run started.';
COMMENT ON COLUMN run_metrics.metric IS 'Metric: wall_seconds, counter:EVENT, per_cycle:EVENT, seconds:FUNCTION, functions:..., tasks:..., blocks:..., segments:..., metric:NAME (of benchmarks, the mean over repetitions)';
COMMENT ON COLUMN run_metrics.value IS 'Its value.';
COMMENT ON COLUMN run_metrics.unit IS 'Unit; 1 for a share, NULL where there is none or the tool does not record it.';
