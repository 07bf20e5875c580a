-- Operations and bytes of the regions of runs against the peaks of their machine, groups of regions
-- left out.
SELECT f.*, r.machine
FROM roofline AS f
JOIN runs AS r USING (run_id)
LEFT JOIN pmu_regions AS g ON f.run_id = g.run_id AND f.region IS NOT DISTINCT FROM g.region
WHERE coalesce(g.leaf, true)
  AND _is_of(f.run_id, CAST($runs AS VARCHAR[]))
ORDER BY f.run_id, f.region;
