-- Store the costs of functions, by the events in _cost_candidate, of the runs in _keep (run_id,
-- source_id): of profiles of events, of runs without function times. For this session temporary
-- views narrow the landing tables to these files of these runs; source_id is in the order of
-- landing, so that DuckDB skips the rest of a large warehouse without reading it.

CREATE TEMP VIEW pmu_samples AS
FROM query_table('"' || replace(current_database(), '"', '""') || '".main.pmu_samples')
WHERE _is_kept(run_id, source_id) AND event IN (SELECT event FROM _cost_candidate);

CREATE TEMP VIEW fn_timings AS
FROM query_table('"' || replace(current_database(), '"', '""') || '".main.fn_timings')
WHERE _is_kept(run_id, source_id);

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
