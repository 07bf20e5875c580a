-- The verdict on each code region of runs, those with the most cycles first.
SELECT
  run_id, region, class, samples, share, probability, cycles,
  frac_mem, frac_dtb, frac_icache, frac_dma
FROM bottleneck_by_region
WHERE _is_of(run_id, CAST($runs AS VARCHAR[]))
ORDER BY run_id, cycles DESC NULLS LAST, region;
