-- Store the scalars of counters of the runs in _keep (run_id, source_id), in place of earlier ones,
-- from pmu_samples, narrowed to these files of these runs.

DELETE FROM run_scalars
WHERE run_id IN (SELECT run_id FROM _keep) AND (starts_with(metric, 'counter:') OR starts_with(metric, 'per_cycle:'));

INSERT INTO run_scalars BY NAME
SELECT
  run_id, metric, CAST(value AS DOUBLE) AS value, unit,
  CASE WHEN _is_exact_event(event) THEN 0 END AS deviation
FROM (
  SELECT
    run_id, event,
    unnest([
      {'metric': 'counter:' || event, 'value': value, 'unit': unit},
      {'metric': 'per_cycle:' || event, 'value': per_cycle, 'unit': '1/cycle'}
    ], recursive := true)
  FROM counter_summary
)
WHERE value IS NOT NULL;
