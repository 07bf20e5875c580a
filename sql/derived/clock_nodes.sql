-- Nodes of a run that workers or messages name, each with its recorded clock offset, ns.
WITH
  named AS (
    SELECT node FROM workers WHERE run_id = $1
    UNION
    SELECT from_node FROM transfers WHERE run_id = $1
    UNION
    SELECT to_node FROM transfers WHERE run_id = $1
  )

SELECT node, max(clock_offset_ns) AS ahead
FROM named
LEFT JOIN (FROM nodes WHERE run_id = $1) AS recorded USING (node)
WHERE node IS NOT NULL
GROUP BY node;
