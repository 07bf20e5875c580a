-- requires: bottlenecks
--
-- Bottlenecks of a whole: the verdict on each process and region, and the shares of a run.
--
-- The verdict on several samples is the class of most of them; of two equally frequent ones that
-- with the more cycles, then the first by name.

CREATE OR REPLACE VIEW bottleneck_by_process AS
WITH
  counted AS (
    SELECT
      run_id, rank, class, count(*) AS samples, avg(probability) AS probability,
      sum(cycles) AS cycles
    FROM bottlenecks
    GROUP BY run_id, rank, class
  )

SELECT
  run_id, rank, class, samples,
  samples / sum(samples) OVER process AS share,
  probability
FROM counted
WINDOW process AS (PARTITION BY run_id, rank)
QUALIFY row_number() OVER (process ORDER BY samples DESC, cycles DESC NULLS LAST, class) = 1;

COMMENT ON VIEW bottleneck_by_process IS 'One row is a process of a run and its bottleneck: the class of most of its samples.';
COMMENT ON COLUMN bottleneck_by_process.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bottleneck_by_process.rank IS 'MPI rank; NULL where samples are of the whole program.';
COMMENT ON COLUMN bottleneck_by_process.class IS 'Balance, Mem, DTB, ICache, DMA, Other or Unknown.';
COMMENT ON COLUMN bottleneck_by_process.samples IS 'Samples of that class.';
COMMENT ON COLUMN bottleneck_by_process.share IS 'Share of all samples of the process, 0..1.';
COMMENT ON COLUMN bottleneck_by_process.probability IS 'Mean probability of those samples by the model.';

CREATE OR REPLACE VIEW bottleneck_by_region AS
WITH
  counted AS (
    SELECT
      run_id, region, class, count(*) AS samples, avg(probability) AS probability,
      sum(cycles) AS cycles, any_value(advice) AS advice,
      sum(frac_mem * cycles) AS mem, sum(frac_dtb * cycles) AS dtb,
      sum(frac_icache * cycles) AS icache, sum(frac_dma * cycles) AS dma,
      sum(cycles) FILTER (frac_mem IS NOT NULL) AS judged_cycles
    FROM bottlenecks
    GROUP BY run_id, region, class
  )

SELECT
  run_id, region, class, samples,
  samples / sum(samples) OVER place AS share,
  probability,
  sum(cycles) OVER place AS cycles,
  sum(mem) OVER place / sum(judged_cycles) OVER place AS frac_mem,
  sum(dtb) OVER place / sum(judged_cycles) OVER place AS frac_dtb,
  sum(icache) OVER place / sum(judged_cycles) OVER place AS frac_icache,
  sum(dma) OVER place / sum(judged_cycles) OVER place AS frac_dma,
  advice
FROM counted
WINDOW place AS (PARTITION BY run_id, region)
QUALIFY row_number() OVER (place ORDER BY samples DESC, cycles DESC NULLS LAST, class) = 1;

COMMENT ON VIEW bottleneck_by_region IS 'One row is a code region of a run and its bottleneck: the class of most of its samples.';
COMMENT ON COLUMN bottleneck_by_region.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bottleneck_by_region.region IS 'Code region or function; NULL for samples of the whole program.';
COMMENT ON COLUMN bottleneck_by_region.class IS 'Balance, Mem, DTB, ICache, DMA, Other or Unknown.';
COMMENT ON COLUMN bottleneck_by_region.samples IS 'Samples of that class.';
COMMENT ON COLUMN bottleneck_by_region.share IS 'Share of all samples of the region, 0..1.';
COMMENT ON COLUMN bottleneck_by_region.probability IS 'Mean probability of those samples by the model.';
COMMENT ON COLUMN bottleneck_by_region.cycles IS 'Cycles of all samples of the region.';
COMMENT ON COLUMN bottleneck_by_region.frac_mem IS 'Share of its cycles that would be saved if main memory cost nothing, 0..1.';
COMMENT ON COLUMN bottleneck_by_region.frac_dtb IS 'Share that would be saved without data-TLB misses.';
COMMENT ON COLUMN bottleneck_by_region.frac_icache IS 'Share that would be saved without instruction-cache misses.';
COMMENT ON COLUMN bottleneck_by_region.frac_dma IS 'Share that would be saved if DMA cost nothing.';
COMMENT ON COLUMN bottleneck_by_region.advice IS 'What usually helps (bottleneck_rules).';

CREATE OR REPLACE VIEW bottleneck_summary AS
SELECT run_id, class, count(*) AS processes
FROM bottleneck_by_process
GROUP BY run_id, class;

COMMENT ON VIEW bottleneck_summary IS 'One row is a class and the number of processes of a run in it.';
COMMENT ON COLUMN bottleneck_summary.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bottleneck_summary.class IS 'Balance, Mem, DTB, ICache, DMA, Other or Unknown.';
COMMENT ON COLUMN bottleneck_summary.processes IS 'Processes (ranks) with that verdict.';
