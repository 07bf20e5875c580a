-- Whether the counters of one run are what functions cost in a profile: sampled, with callees, or
-- of a kind that only profiles have, which may have counters of the whole program beside them.
SELECT
  bool_and(region IS NOT NULL)
  AND bool_or(inclusive IS NOT NULL OR event = 'samples' OR starts_with(event, 'samples of '))
  OR bool_or(
    region IS NOT NULL
    AND event IN (SELECT event FROM _cost_event WHERE unit = 'bytes' OR event = 'Ir')
  ) AS is_profile
FROM pmu_samples
WHERE run_id = $run_id;
