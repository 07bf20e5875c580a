-- Store the metrics of the runs in _keep (run_id, source_id), in place of earlier ones: the means
-- over repetitions. A temporary view narrows the landing table to these files of these runs.

CREATE TEMP VIEW metrics AS
FROM query_table('"' || replace(current_database(), '"', '""') || '".main.metrics')
WHERE _is_kept(run_id, source_id);

DELETE FROM run_scalars
WHERE run_id IN (SELECT run_id FROM _keep) AND starts_with(metric, 'metric:');

INSERT INTO run_scalars BY NAME
SELECT run_id, 'metric:' || metric AS metric, avg(value) AS value, any_value(unit) AS unit
FROM metrics
WHERE value IS NOT NULL
GROUP BY run_id, metric;

DROP VIEW temp.main.metrics;
