-- Why the clocks of the nodes of one run are not to be trusted, if so; with a file to be ingested again.
SELECT
  any_value(doubt) AS doubt,
  (
    SELECT any_value(path)
    FROM sources
    WHERE source_id IN (SELECT source_id FROM tasks WHERE run_id = $run_id)
  ) AS path
FROM _worker_sums
WHERE run_id = $run_id
HAVING any_value(doubt) IS NOT NULL;
