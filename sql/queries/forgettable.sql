-- What $name names: a run, else a source by its id or by $path.
SELECT 'run' AS kind, run_id AS what FROM runs WHERE run_id = $name
UNION ALL
SELECT 'source', source_id FROM sources WHERE source_id = $name OR path = $path
ORDER BY kind, what;
