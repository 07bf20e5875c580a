-- What a history needs of the view bottlenecks, of the runs $runs.
-- Runs are told by bounds and a list: such a condition reaches the counters, a subquery does not.
SELECT run_id, rank, class, probability, cycles
FROM bottlenecks
WHERE run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
  AND list_max(from_json($runs, '["VARCHAR"]'))
  AND list_contains(from_json($runs, '["VARCHAR"]'), run_id);
