-- How near the kernels of runs are to the peaks of their GPU, those with the most time first. Runs
-- are selected by bounds and a list: that condition is pushed down to the counters, a subquery is not.
SELECT *
FROM speed_of_light
WHERE run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
  AND list_max(from_json($runs, '["VARCHAR"]'))
  AND list_contains(from_json($runs, '["VARCHAR"]'), run_id)
ORDER BY run_id, seconds DESC NULLS LAST, kernel;
