-- The rows of some runs in the view $view.
-- Runs are told by bounds and a list: such a condition reaches the counters, a subquery does not.
FROM query_table($view)
WHERE run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
  AND list_max(from_json($runs, '["VARCHAR"]'))
  AND list_contains(from_json($runs, '["VARCHAR"]'), run_id);
