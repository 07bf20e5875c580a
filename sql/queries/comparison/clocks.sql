-- How many of some runs have nodes whose clocks are proven to be apart, and of those that are
-- furthest apart the run and the nodes.
SELECT
  count(DISTINCT run_id) AS runs, arg_max(run_id, ns) AS run_id, arg_max(node, ns) AS node,
  arg_max(other, ns) AS other, max(ns) / 1e9 AS apart_seconds
FROM _clocks_apart
WHERE _is_of(run_id, $runs)
HAVING runs > 0;
