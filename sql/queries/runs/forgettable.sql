-- What $name is: a run, else a source by its id or by $path.
SELECT 'run' AS kind, run_id AS what FROM runs WHERE run_id = $name
UNION ALL
SELECT 'source', CAST(source_id AS VARCHAR)
FROM sources
WHERE CAST(source_id AS VARCHAR) = $name OR path = $path
ORDER BY kind, what;
