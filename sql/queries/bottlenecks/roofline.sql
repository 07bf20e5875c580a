-- Operations and bytes of the regions of runs against the peaks of their machine, groups of regions
-- left out. Runs are selected by bounds and a list: that condition is pushed down to the counters, a
-- subquery is not.
SELECT f.*, r.machine
FROM roofline AS f
JOIN runs AS r USING (run_id)
LEFT JOIN pmu_regions AS g ON f.run_id = g.run_id AND f.region IS NOT DISTINCT FROM g.region
WHERE coalesce(g.leaf, true)
  AND f.run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
  AND list_max(from_json($runs, '["VARCHAR"]'))
  AND list_contains(from_json($runs, '["VARCHAR"]'), f.run_id)
ORDER BY f.run_id, f.region;
