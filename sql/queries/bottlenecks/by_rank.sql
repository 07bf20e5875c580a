-- The verdict on each process of runs. Runs are selected by bounds and a list: that condition is
-- pushed down to the counters, a subquery is not.
SELECT run_id, rank, class, samples, share, probability
FROM bottleneck_by_process
WHERE run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
  AND list_max(from_json($runs, '["VARCHAR"]'))
  AND list_contains(from_json($runs, '["VARCHAR"]'), run_id)
ORDER BY run_id, rank;
