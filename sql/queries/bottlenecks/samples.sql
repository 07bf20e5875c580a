-- The rows of pmu_samples of the runs $runs.
FROM pmu_samples
WHERE _is_of(run_id, from_json($runs, '["VARCHAR"]'));
