-- Top-down shares of runs by region: the level-1 category with the most issue slots, and the part
-- of it that takes most. Groups of regions are left out: theirs are no shares. Runs are selected by
-- bounds and a list: that condition is pushed down to the counters, a subquery is not.
SELECT * EXCLUDE (leaf, reason)
FROM topdown
WHERE leaf AND category IS NOT NULL
  AND run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
  AND list_max(from_json($runs, '["VARCHAR"]'))
  AND list_contains(from_json($runs, '["VARCHAR"]'), run_id)
ORDER BY run_id, region;
