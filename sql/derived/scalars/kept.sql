-- Record that the scalars of the runs in _keep are stored, as this pwh ($revision) adds them up.
DELETE FROM kept_runs
WHERE run_id IN (SELECT run_id FROM _keep);

INSERT INTO kept_runs BY NAME
SELECT DISTINCT run_id, $revision AS revision FROM _keep;
