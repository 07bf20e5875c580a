-- Store the scalars of workers in _given, of the runs in _keep (run_id, source_id), in place of
-- earlier ones: they were added up elsewhere, as in workers.sql.
DELETE FROM run_scalars
WHERE run_id IN (SELECT run_id FROM _keep) AND starts_with(metric, 'tasks:');

INSERT INTO run_scalars BY NAME
FROM _given
WHERE run_id IN (SELECT run_id FROM _keep);
