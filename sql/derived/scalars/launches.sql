-- Store the scalars of kernel launches of the runs in _keep (run_id, source_id), in place of
-- earlier ones, from bb_launches, bb_visits and bb_blocks, narrowed to these files of these runs.

DELETE FROM run_scalars
WHERE run_id IN (SELECT run_id FROM _keep) AND (starts_with(metric, 'blocks:'));

INSERT INTO run_scalars BY NAME
SELECT run_id, metric, CAST(value AS DOUBLE) AS value, unit
FROM (
  SELECT
    run_id,
    unnest([
      {'metric': 'blocks:launches', 'value': launches, 'unit': NULL},
      {'metric': 'blocks:visits', 'value': visits, 'unit': NULL},
      {'metric': 'blocks:instructions', 'value': instructions, 'unit': NULL},
      {'metric': 'blocks:sync_rate', 'value': sync_rate, 'unit': '1'}
    ], recursive := true)
  FROM (
    SELECT
      run_id, count(*) AS launches, sum(visits) AS visits, sum(instructions) AS instructions,
      sum(barriers) / nullif(sum(visits), 0) AS sync_rate
    FROM launch_summary
    GROUP BY run_id
  )
)
WHERE value IS NOT NULL;
