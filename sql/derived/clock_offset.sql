-- Set the clock offset of a node.
UPDATE nodes
SET clock_offset_ns = $ahead
WHERE run_id = $run_id AND node = $node;
