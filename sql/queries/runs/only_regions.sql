-- Whether all counters of one run are those of functions or regions.
SELECT bool_and(region IS NOT NULL) AS only_regions
FROM pmu_samples
WHERE run_id = $run_id;
