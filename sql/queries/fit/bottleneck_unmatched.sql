-- Labelled runs that have no counters.
SELECT DISTINCT run_id
FROM _training_labels
WHERE run_id NOT IN (SELECT run_id FROM pmu_samples)
ORDER BY run_id
