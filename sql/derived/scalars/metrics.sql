-- Store the metrics of the runs in _keep (run_id, source_id), in place of earlier ones: the means
-- over repetitions. Times are in seconds, whatever their unit, so that a series stays one where the
-- unit changes; there is no mean of values in other units that differ. They are added up from
-- the table metrics, narrowed to these files of these runs.

DELETE FROM run_scalars
WHERE run_id IN (SELECT run_id FROM _keep) AND starts_with(metric, 'metric:');

INSERT INTO run_scalars BY NAME
WITH
  -- of the unit to a second, and seconds to the unit
  time_units (unit, parts, seconds) AS (
    VALUES
      ('sec', 1, 1), ('seconds', 1, 1), ('ms', 1e3, 1), ('msec', 1e3, 1), ('us', 1e6, 1),
      ('µs', 1e6, 1), ('usec', 1e6, 1), ('ns', 1e9, 1), ('nsec', 1e9, 1), ('min', 1, 60),
      ('h', 1, 3600)
  ),

  named AS (
    SELECT
      m.run_id, m.metric,
      CASE WHEN t.unit IS NULL THEN m.value ELSE m.value * t.seconds / t.parts END AS value,
      CASE WHEN t.unit IS NULL THEN m.unit ELSE 's' END AS unit,
      m.deviation
    FROM metrics AS m
    LEFT JOIN time_units AS t ON m.unit = t.unit
    WHERE m.value IS NOT NULL
  )

SELECT
  run_id, 'metric:' || metric AS metric, avg(value) AS value, any_value(unit) AS unit,
  CASE WHEN count(*) > 1 THEN count(*) END AS measurements,
  if(count(*) > 1, stddev_samp(value) / nullif(abs(avg(value)), 0), any_value(deviation))
    AS deviation
FROM named
GROUP BY run_id, metric
HAVING count(DISTINCT unit) <= 1;
