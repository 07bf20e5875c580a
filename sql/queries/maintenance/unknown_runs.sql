-- Runs that have rows, but are not in the table runs, or whose rows are of a file that is there and
-- have no facts, each with the tables that have such rows of it, and whether it is in runs.
SELECT
  run_id, list(DISTINCT "table" ORDER BY "table") AS tables,
  run_id IN (SELECT run_id FROM runs) AS is_known
FROM _landed_rows
WHERE run_id NOT IN (SELECT run_id FROM runs)
  OR (
    source_id IN (SELECT source_id FROM sources)
    AND run_id NOT IN (SELECT run_id FROM run_facts)
  )
GROUP BY run_id
ORDER BY run_id;
