-- Which process spends most cycles in each code region, and how uneven are the processes?
--
-- Above 1 the others wait for the slowest process: 1.2 means 20 % more cycles than the mean. A
-- process that waits in a loop, as MPI often does, counts cycles while it waits: leave such regions
-- out.
WITH
  ranks AS (
    SELECT run_id, region, rank, sum(value) AS cycles
    FROM pmu_samples
    WHERE event = 'cycles' AND rank IS NOT NULL
    GROUP BY run_id, region, rank
  )
SELECT
  app, version, region,
  count(*) AS processes,
  arg_max(rank, cycles) AS slowest_rank,
  round(max(cycles) / avg(cycles), 3) AS slowest_over_mean
FROM ranks
JOIN runs USING (run_id)
GROUP BY app, version, run_id, region
HAVING count(*) > 1
ORDER BY max(cycles) / avg(cycles) DESC
LIMIT 10;
