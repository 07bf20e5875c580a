-- The largest possible gain of the runs, of all ranks or one, from each component: shares of their cycles, with bands.
WITH
  judged AS (
    SELECT coalesce(cycles, 0) AS cycles, * EXCLUDE (cycles)
    FROM bottlenecks
    WHERE _is_of(run_id, CAST($runs AS VARCHAR[])) AND ($rank IS NULL OR rank = $rank)
  ),

  tall AS (
    SELECT 'main memory' AS component, 1 AS position, cycles, frac_mem AS cost,
      frac_mem_low AS low, frac_mem_high AS high FROM judged
    UNION ALL
    SELECT 'data-TLB misses', 2, cycles, frac_dtb, frac_dtb_low, frac_dtb_high FROM judged
    UNION ALL
    SELECT 'instruction-cache misses', 3, cycles, frac_icache, frac_icache_low, frac_icache_high
    FROM judged
    UNION ALL
    SELECT 'DMA', 4, cycles, frac_dma, frac_dma_low, frac_dma_high FROM judged
  )

SELECT
  component,
  sum(cost * cycles) / sum(cycles) AS share,
  sum(low * cycles) / sum(cycles) AS low,
  sum(high * cycles) / sum(cycles) AS high
FROM tall
WHERE cost IS NOT NULL
GROUP BY component, position
HAVING sum(cycles) > 0
ORDER BY position;
