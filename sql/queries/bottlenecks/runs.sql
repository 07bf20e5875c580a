-- Runs of an application that have counters, the newest first.
SELECT r.run_id
FROM runs AS r
JOIN _run_times AS t USING (run_id)
WHERE r.app = $app AND r.run_id IN (SELECT run_id FROM pmu_samples)
ORDER BY t.last_at DESC NULLS LAST, t.position DESC, r.run_id;
