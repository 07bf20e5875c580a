-- Insert a node, with its clock offset, that only workers or messages name.
INSERT INTO nodes BY NAME
SELECT
  $run_id AS run_id, CAST($source_id AS BIGINT) AS source_id, $node AS node,
  CAST($ahead AS BIGINT) AS clock_offset_ns
WHERE NOT EXISTS (FROM nodes WHERE run_id = $run_id AND node = $node);
