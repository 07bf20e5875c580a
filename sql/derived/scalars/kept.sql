-- Record that the scalars of the runs in _keep are stored.
DELETE FROM kept_runs
WHERE run_id IN (SELECT run_id FROM _keep);

INSERT INTO kept_runs
SELECT DISTINCT run_id FROM _keep;

DROP TABLE _keep;
