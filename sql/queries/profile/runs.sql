-- Runs that have a profile, the latest first, at most 500: times of functions, or what they cost.
SELECT r.run_id, r.app, r.version, r.started_at
FROM runs AS r
WHERE r.run_id IN (
  SELECT run_id FROM fn_timings
  UNION
  SELECT run_id FROM pmu_samples WHERE region IS NOT NULL
)
ORDER BY r.started_at DESC NULLS LAST, r.run_id
LIMIT 500;
