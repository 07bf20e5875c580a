-- Store the scalars of functions of the runs in _keep (run_id, source_id), in place of earlier
-- ones, from fn_timings, narrowed to these files of these runs.

DELETE FROM run_scalars
WHERE run_id IN (SELECT run_id FROM _keep) AND (starts_with(metric, 'seconds:') OR metric = 'functions:seconds');

INSERT INTO run_scalars BY NAME
SELECT run_id, metric, CAST(value AS DOUBLE) AS value, unit
FROM (
  SELECT
    run_id,
    CASE WHEN grouping(function) = 0 THEN 'seconds:' || function ELSE 'functions:seconds' END
      AS metric,
    sum(seconds) AS value,
    's' AS unit
  FROM function_shares
  GROUP BY GROUPING SETS ((run_id, function), (run_id))
  UNION ALL
  -- totals but for the wall time, which is a scalar already
  SELECT t.run_id, 'seconds:' || t.function, avg(t.seconds), 's'
  FROM fn_timings AS t
  JOIN runs AS r ON t.run_id = r.run_id
  WHERE t.kind = 'total' AND t.seconds IS DISTINCT FROM r.wall_seconds
  GROUP BY t.run_id, t.function
)
WHERE value IS NOT NULL;
