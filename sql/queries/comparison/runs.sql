-- Runs selected by $name: a run, APP@VERSION, or a version of the application $app.
SELECT run_id
FROM runs
WHERE CASE
  WHEN $app IS NULL THEN run_id = $name OR app || '@' || version = $name
  ELSE app = $app AND (version = $name OR run_id = $name)
END
ORDER BY started_at, run_id;
