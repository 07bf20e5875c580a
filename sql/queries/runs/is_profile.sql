-- Whether the counters of one run are what functions cost in a profile: sampled, or with callees.
SELECT
  bool_and(region IS NOT NULL)
  AND bool_or(inclusive IS NOT NULL OR event = 'samples' OR starts_with(event, 'samples of '))
    AS is_profile
FROM pmu_samples
WHERE run_id = $run_id;
