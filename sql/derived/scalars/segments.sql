-- Store the scalars of instruction streams of the runs in _keep (run_id, source_id), in place of
-- earlier ones, from segments, narrowed to these files of these runs.

DELETE FROM run_scalars
WHERE run_id IN (SELECT run_id FROM _keep) AND (starts_with(metric, 'segments:'));

INSERT INTO run_scalars BY NAME
SELECT run_id, metric, CAST(value AS DOUBLE) AS value, unit
FROM (
  SELECT
    run_id,
    unnest([
      {'metric': 'segments:count', 'value': segments, 'unit': NULL},
      {'metric': 'segments:ipc', 'value': ipc, 'unit': '1/cycle'}
    ], recursive := true)
  FROM (
    SELECT run_id, sum(segments) AS segments, avg(ipc) AS ipc
    FROM segment_summary
    GROUP BY run_id
  )
)
WHERE value IS NOT NULL;
