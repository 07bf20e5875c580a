-- The verdict on each code region of runs, those with the most cycles first. Runs are selected by
-- bounds and a list: that condition is pushed down to the counters, a subquery is not.
SELECT
  run_id, region, class, samples, share, probability, cycles,
  frac_mem, frac_dtb, frac_icache, frac_dma
FROM bottleneck_by_region
WHERE run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
  AND list_max(from_json($runs, '["VARCHAR"]'))
  AND list_contains(from_json($runs, '["VARCHAR"]'), run_id)
ORDER BY run_id, cycles DESC NULLS LAST, region;
