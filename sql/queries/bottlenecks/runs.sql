-- Runs of an application that have counters, the newest first.
SELECT run_id
FROM runs
WHERE app = $app AND run_id IN (SELECT run_id FROM pmu_samples)
ORDER BY started_at DESC NULLS LAST, run_id;
