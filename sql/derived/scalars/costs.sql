-- Store the costs of functions of the runs in _keep (run_id, source_id), from fn_timings, narrowed to
-- these files of these runs, and pmu_samples, narrowed to the events in _cost_candidate, too: of
-- profiles of events, of runs without function times.

INSERT INTO run_scalars BY NAME
SELECT
  run_id,
  CASE WHEN grouping(function) = 0 THEN 'cost:' || function ELSE 'functions:cost' END AS metric,
  sum(cost) AS value,
  any_value(unit) AS unit
FROM function_costs
GROUP BY GROUPING SETS ((run_id, function), (run_id));
