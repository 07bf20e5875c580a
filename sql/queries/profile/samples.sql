-- The rows of pmu_samples of some runs that are of a region.
FROM pmu_samples
WHERE region IS NOT NULL AND run_id IN (SELECT unnest(from_json($runs, '["VARCHAR"]')));
