-- Store the scalars of workers of the runs in _keep (run_id, source_id), in place of earlier ones,
-- from nodes, workers, tasks and transfers, narrowed to these files of these runs. Where the clocks of
-- nodes are apart, where the workers' time went is unknown.

-- Views that stand on others several times, computed once.
CREATE TEMP TABLE _worker_clocks AS
FROM query_table('"' || replace(current_database(), '"', '""') || '".main._worker_clocks');

CREATE TEMP TABLE _worker_windows AS
FROM query_table('"' || replace(current_database(), '"', '""') || '".main._worker_windows');

DELETE FROM run_scalars
WHERE run_id IN (SELECT run_id FROM _keep) AND (starts_with(metric, 'tasks:'));

INSERT INTO run_scalars BY NAME
SELECT run_id, metric, CAST(value AS DOUBLE) AS value, unit
FROM (
  SELECT
    run_id,
    unnest([
      {'metric': 'tasks:count', 'value': tasks, 'unit': NULL},
      {'metric': 'tasks:workers', 'value': workers, 'unit': NULL},
      {'metric': 'tasks:busy_share', 'value': busy / nullif(wall, 0), 'unit': '1'},
      {'metric': 'tasks:idle_share', 'value': idle / nullif(wall, 0), 'unit': '1'},
      {'metric': 'tasks:tail_share', 'value': tail / nullif(wall, 0), 'unit': '1'}
    ], recursive := true)
  FROM (
    SELECT
      run_id, count(*) AS workers, sum(tasks) AS tasks, sum(wall_seconds) AS wall,
      sum(busy_seconds) AS busy, sum(idle_seconds) AS idle, sum(tail_seconds) AS tail
    FROM worker_summary
    GROUP BY run_id
  )
)
WHERE value IS NOT NULL
  AND NOT (
    metric IN ('tasks:busy_share', 'tasks:idle_share', 'tasks:tail_share')
    AND run_id IN (SELECT run_id FROM _clocks_apart)
  );

DROP TABLE temp.main._worker_clocks;
DROP TABLE temp.main._worker_windows;
