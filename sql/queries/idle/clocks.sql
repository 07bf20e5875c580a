-- The two nodes of one run whose clocks are proven to be furthest apart after correction. With the
-- file to ingest again.
SELECT
  node, other, ns / 1e9 AS apart_seconds,
  (
    SELECT any_value(path)
    FROM sources
    WHERE source_id IN (SELECT source_id FROM transfers WHERE run_id = $run_id)
  ) AS path
FROM _clocks_apart
WHERE run_id = $run_id
ORDER BY apart_seconds DESC, node, other
LIMIT 1;
