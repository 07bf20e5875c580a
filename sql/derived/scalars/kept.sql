-- Record that the scalars of the runs in _keep are stored, as this pwh ($revision) adds them up, and
-- how many rows the landing tables have of them; counted are those whose rows changed, the others
-- have as many as before.
CREATE TEMP TABLE _kept_rows AS
SELECT run_id, map_from_entries(list(("table", rows) ORDER BY "table")) AS rows
FROM (
  {counted}
  UNION ALL
  SELECT run_id, entry.key, entry.value
  FROM (
    SELECT run_id, unnest(map_entries(rows)) AS entry
    FROM kept_runs
    WHERE run_id IN (SELECT run_id FROM _keep)
  )
  WHERE NOT list_contains(CAST([{tables}] AS VARCHAR[]), entry.key)
)
GROUP BY run_id;

DELETE FROM kept_runs
WHERE run_id IN (SELECT run_id FROM _keep);

INSERT INTO kept_runs BY NAME
SELECT run_id, $revision AS revision, coalesce(rows, MAP()) AS rows
FROM (SELECT DISTINCT run_id FROM _keep)
LEFT JOIN _kept_rows USING (run_id);
