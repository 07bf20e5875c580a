-- The two nodes of one run whose clocks are proven to be furthest apart after correction: data seem
-- to arrive before they are sent. With the file to ingest again.
SELECT
  node, other, abs(other_ahead_ns - coalesce(recorded_ahead_ns, 0)) / 1e9 AS apart_seconds,
  (
    SELECT any_value(path)
    FROM sources
    WHERE source_id IN (SELECT source_id FROM transfers WHERE run_id = $run_id)
  ) AS path
FROM clock_skew
WHERE run_id = $run_id
  AND abs(other_ahead_ns - coalesce(recorded_ahead_ns, 0)) > fastest_ns
ORDER BY apart_seconds DESC, node, other
LIMIT 1;
