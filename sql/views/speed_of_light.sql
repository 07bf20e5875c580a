-- Speed of light: how near the kernels of a GPU are to the peaks of its memory and of its
-- multiprocessors, as Nsight Compute measures it, and which of them limits.
--
-- The limits are those of Nsight Compute's rule SOLBottleneck: where neither reaches 60 % of its peak,
-- latencies are not hidden; within 10 % of the peak of each other both limit.

CREATE OR REPLACE VIEW speed_of_light AS -- One row is a kernel of a GPU of which Nsight Compute measured how near it is to the peaks of memory and multiprocessors, and which of the two limits it.
WITH
  launches AS (
    SELECT
      run_id, source_id, rank, region, sample,
      max(value) FILTER (lower(event) IN (
        'memory throughput', 'memory throughput [%]', 'memory [%]', 'sol memory',
        'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed'
      )) / 100 AS memory,
      max(value) FILTER (lower(event) IN (
        'compute (sm) throughput', 'compute (sm) [%]', 'sm [%]', 'sol sm',
        'sm__throughput.avg.pct_of_peak_sustained_elapsed'
      )) / 100 AS compute,
      max(seconds) AS seconds
    FROM pmu_samples
    WHERE unit = '%'
    GROUP BY run_id, source_id, rank, region, sample
    HAVING memory IS NOT NULL AND compute IS NOT NULL
  ),

  -- launches count by their time where all of a kernel have one, else equally
  weighted AS (
    SELECT
      *,
      CASE WHEN bool_and(coalesce(seconds > 0, false)) OVER of_kernel THEN seconds ELSE 1 END
        AS weight
    FROM launches
    WINDOW of_kernel AS (PARTITION BY run_id, region)
  ),

  kernels AS (
    SELECT
      run_id, region AS kernel, count(*) AS launches,
      CASE WHEN count(seconds) = count(*) THEN sum(seconds) END AS seconds,
      sum(memory * weight) / sum(weight) AS memory,
      sum(compute * weight) / sum(weight) AS compute
    FROM weighted
    GROUP BY run_id, region
  )

SELECT
  run_id, kernel,
  launches, -- Launches that were measured.
  seconds, -- Time of these, s; NULL where that of a launch is unknown.
  CASE
    WHEN count(seconds) OVER of_run = count(*) OVER of_run THEN seconds / sum(seconds) OVER of_run
  END AS share, -- Its share of the time of all kernels of the run that were measured, 0..1.
  memory, -- Share of the peak of the memory system that was reached, 0..1: of caches, DRAM and the ways between them the busiest; mean over the launches, by their time where that of each is known.
  compute, -- Share of the peak of the multiprocessors that was reached, 0..1, in the same way.
  CASE
    WHEN greatest(memory, compute) < 0.6 THEN 'latency'
    WHEN abs(memory - compute) < 0.1 THEN 'both'
    WHEN memory > compute THEN 'memory'
    ELSE 'compute'
  END AS bound -- What limits it: memory, compute, both (within 10 % of the peak of each other), or latency (neither reaches 60 % of its peak).
FROM kernels
WINDOW of_run AS (PARTITION BY run_id);
