-- Of the view bottlenecks what a history needs, of the runs $judged.
-- Runs are told by bounds and a list: such a condition reaches the counters, a subquery does not.
SELECT run_id, rank, class, probability, cycles
FROM bottlenecks
WHERE run_id BETWEEN list_min(from_json($judged, '["VARCHAR"]'))
  AND list_max(from_json($judged, '["VARCHAR"]'))
  AND list_contains(from_json($judged, '["VARCHAR"]'), run_id);
