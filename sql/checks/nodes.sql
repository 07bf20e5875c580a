-- The first node of a source that stands twice in one run.
SELECT
    'the node ' || node || ' stands twice' AS problem,
    'one row for each node' AS expected,
    max(rowid) - (SELECT min(rowid) FROM nodes WHERE source_id = $source_id) + 1 AS row_number
FROM nodes
WHERE source_id = $source_id
GROUP BY run_id, node
HAVING count(*) > 1
ORDER BY row_number
LIMIT 1;
