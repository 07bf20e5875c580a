-- The rows of pmu_samples of the runs $runs. Runs are selected by bounds and a list: that condition
-- is pushed down to the counters, a subquery is not.
FROM pmu_samples
WHERE run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
  AND list_max(from_json($runs, '["VARCHAR"]'))
  AND list_contains(from_json($runs, '["VARCHAR"]'), run_id);
