-- requires: counters, functions, workers, blocks, streams
--
-- Every scalar of every run in one tall view, for trends and comparisons.

CREATE OR REPLACE VIEW run_metrics AS
WITH
  worker_sums AS (
    SELECT
      run_id, count(*) AS workers, sum(tasks) AS tasks, sum(wall_seconds) AS wall,
      sum(busy_seconds) AS busy, sum(idle_seconds) AS idle, sum(tail_seconds) AS tail
    FROM worker_summary
    GROUP BY run_id
  ),

  launch_sums AS (
    SELECT
      run_id, count(*) AS launches, sum(visits) AS visits, sum(instructions) AS instructions,
      sum(barriers) / nullif(sum(visits), 0) AS sync_rate
    FROM launch_summary
    GROUP BY run_id
  ),

  segment_sums AS (
    SELECT run_id, sum(segments) AS segments, avg(ipc) AS ipc
    FROM segment_summary
    GROUP BY run_id
  ),

  metrics (run_id, metric, value, unit) AS (
    SELECT run_id, 'wall_seconds', wall_seconds, 's' FROM runs
    UNION ALL SELECT run_id, 'counter:' || event, value, unit FROM counter_summary
    UNION ALL SELECT run_id, 'per_cycle:' || event, per_cycle, '1/cycle' FROM counter_summary
    UNION ALL SELECT run_id, 'seconds:' || function, seconds, 's' FROM function_shares
    UNION ALL SELECT run_id, 'functions:seconds', sum(seconds), 's' FROM function_shares GROUP BY run_id
    UNION ALL SELECT run_id, 'tasks:count', tasks, NULL FROM worker_sums
    UNION ALL SELECT run_id, 'tasks:workers', workers, NULL FROM worker_sums
    UNION ALL SELECT run_id, 'tasks:busy_share', busy / nullif(wall, 0), '1' FROM worker_sums
    UNION ALL SELECT run_id, 'tasks:idle_share', idle / nullif(wall, 0), '1' FROM worker_sums
    UNION ALL SELECT run_id, 'tasks:tail_share', tail / nullif(wall, 0), '1' FROM worker_sums
    UNION ALL SELECT run_id, 'blocks:launches', launches, NULL FROM launch_sums
    UNION ALL SELECT run_id, 'blocks:visits', visits, NULL FROM launch_sums
    UNION ALL SELECT run_id, 'blocks:instructions', instructions, NULL FROM launch_sums
    UNION ALL SELECT run_id, 'blocks:sync_rate', sync_rate, '1' FROM launch_sums
    UNION ALL SELECT run_id, 'segments:count', segments, NULL FROM segment_sums
    UNION ALL SELECT run_id, 'segments:ipc', ipc, '1/cycle' FROM segment_sums
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
COMMENT ON COLUMN run_metrics.metric IS 'Metric: wall_seconds, counter:EVENT, per_cycle:EVENT, seconds:FUNCTION, functions:..., tasks:..., blocks:..., segments:...';
COMMENT ON COLUMN run_metrics.value IS 'Its value.';
COMMENT ON COLUMN run_metrics.unit IS 'Unit; 1 for a share, NULL where there is none or the tool gives none.';
