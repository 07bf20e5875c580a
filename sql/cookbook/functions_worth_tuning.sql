-- Where would tuning pay most: how many seconds does each bottleneck of each function cost?
--
-- The latest run of each program that has function times and hardware counters. The gain is what
-- would be saved if that component cost nothing, so it is an upper bound.
WITH
  latest AS (
    SELECT run_id, app, version
    FROM runs
    WHERE run_id IN (SELECT run_id FROM function_shares)
      AND run_id IN (SELECT run_id FROM bottlenecks WHERE class <> 'Unknown')
    QUALIFY row_number() OVER (PARTITION BY app ORDER BY started_at DESC, run_id DESC) = 1
  ),

  -- the share of its cycles that each component costs a region
  costs AS (
    UNPIVOT (
      SELECT
        run_id, region AS function,
        frac_mem AS "main memory", frac_dtb AS "data TLB",
        frac_icache AS "instruction cache", frac_dma AS "DMA"
      FROM bottleneck_by_region
    )
    ON "main memory", "data TLB", "instruction cache", "DMA"
    INTO NAME component VALUE fraction
  )
SELECT
  app, version, function, component,
  round(seconds, 2) AS seconds,
  round(100 * fraction, 1) AS percent_of_cycles,
  round(seconds * fraction, 2) AS seconds_gained_at_most
FROM latest
JOIN function_shares USING (run_id)
JOIN costs USING (run_id, function)
WHERE fraction > 0.001
ORDER BY seconds * fraction DESC;
