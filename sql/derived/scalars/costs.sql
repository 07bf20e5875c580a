-- Store the costs of functions of the runs in _keep (run_id, source_id), in place of earlier ones:
-- of profiles of events, of runs without function times. For this session temporary views narrow
-- the landing tables to these files of these runs; source_id is in the order of landing, so that
-- DuckDB skips the rest of a large warehouse without reading it.

CREATE TEMP TABLE _cost_candidate AS
SELECT event
FROM query_table('"' || replace(current_database(), '"', '""') || '".main.pmu_samples')
WHERE _is_kept(run_id, source_id)
GROUP BY event
HAVING count(inclusive) > 0 OR _plain_event(event) IN (SELECT event FROM _cost_event);

CREATE TEMP VIEW pmu_samples AS
FROM query_table('"' || replace(current_database(), '"', '""') || '".main.pmu_samples')
WHERE _is_kept(run_id, source_id) AND event IN (SELECT event FROM _cost_candidate);

CREATE TEMP VIEW fn_timings AS
FROM query_table('"' || replace(current_database(), '"', '""') || '".main.fn_timings')
WHERE _is_kept(run_id, source_id);

DELETE FROM run_scalars
WHERE run_id IN (SELECT run_id FROM _keep) AND (starts_with(metric, 'cost:') OR metric = 'functions:cost');

INSERT INTO run_scalars BY NAME
SELECT
  run_id,
  CASE WHEN grouping(function) = 0 THEN 'cost:' || function ELSE 'functions:cost' END AS metric,
  sum(cost) AS value,
  any_value(unit) AS unit
FROM function_costs
GROUP BY GROUPING SETS ((run_id, function), (run_id));

DROP VIEW temp.main.pmu_samples;
DROP VIEW temp.main.fn_timings;
DROP TABLE _cost_candidate;
