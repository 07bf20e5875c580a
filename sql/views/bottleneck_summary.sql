-- requires: metric_sets
--
-- Bottlenecks of a whole: the one verdict on a run, a process, a thread or a region.
--
-- Samples are weighted by their cycles; in runs without cycles by their time, and in runs without
-- either they weigh the same. The verdict is the class with the largest weight. Classes within
-- 1 % of the weight of it are tied with it, and the verdict names all of them.

CREATE OR REPLACE MACRO _heaviest(weights) AS
  list_filter(
    weights,
    lambda w: w.weight >= list_max(list_transform(weights, lambda o: o.weight))
      - 0.01 * list_sum(list_transform(weights, lambda o: o.weight))
  );

-- Of {'reason', 'measured', 'samples'} the reason with the largest sum; without any measured, that of
-- most samples.
CREATE OR REPLACE MACRO _main_reason(parts) AS list_sort(
  list_transform(
    list_distinct(list_transform(parts, lambda p: p.reason)),
    lambda reason: {
      'measured': list_sum(
        list_transform(list_filter(parts, lambda p: p.reason = reason), lambda p: p.measured)
      ),
      'samples': list_sum(
        list_transform(list_filter(parts, lambda p: p.reason = reason), lambda p: p.samples)
      ),
      'reason': reason
    }
  ),
  'DESC'
)[1].reason;

CREATE OR REPLACE VIEW bottleneck_weights AS -- One row is a class of the samples of one thread in one region of a run (of Unknown, one reason), and how much it weighs. What verdicts on more are added up from.
WITH
  parts AS (
    SELECT
      run_id, rank, thread, region, class, reason,
      count(*) AS samples,
      sum(cycles) FILTER (cycles > 0) AS cycles,
      count(*) FILTER (cycles > 0) AS counted,
      sum(seconds) FILTER (seconds > 0) AS seconds,
      count(*) FILTER (seconds > 0) AS timed,
      sum(probability * coalesce(cycles, seconds, 1)) AS stated_sum,
      sum(coalesce(cycles, seconds, 1)) FILTER (probability IS NOT NULL) AS stated_cycles,
      sum(cycles) FILTER (frac_mem IS NOT NULL) AS costed_cycles,
      sum(frac_mem * cycles) AS mem, sum(frac_mem_low * cycles) AS mem_low,
      sum(frac_mem_high * cycles) AS mem_high,
      sum(frac_dtb * cycles) AS dtb, sum(frac_dtb_low * cycles) AS dtb_low,
      sum(frac_dtb_high * cycles) AS dtb_high,
      sum(frac_icache * cycles) AS icache, sum(frac_icache_low * cycles) AS icache_low,
      sum(frac_icache_high * cycles) AS icache_high,
      sum(frac_dma * cycles) AS dma, sum(frac_dma_low * cycles) AS dma_low,
      sum(frac_dma_high * cycles) AS dma_high,
      any_value(advice) AS advice, mode(said_by) AS said_by
    FROM bottlenecks
    GROUP BY run_id, rank, thread, region, class, reason
  ),

  -- samples without cycles among others that have them weigh as much as these on average
  weighed AS (
    SELECT
      *,
      CASE
        WHEN sum(counted) OVER run > 0 THEN 'cycles'
        WHEN sum(timed) OVER run > 0 THEN 'seconds'
        ELSE 'samples'
      END AS weighed_by,
      CASE weighed_by
        WHEN 'cycles' THEN sum(cycles) OVER run / sum(counted) OVER run
        WHEN 'seconds' THEN sum(seconds) OVER run / sum(timed) OVER run
        ELSE 1
      END AS average,
      CASE weighed_by
        WHEN 'cycles' THEN coalesce(cycles, 0) + (samples - counted) * average
        WHEN 'seconds' THEN coalesce(seconds, 0) + (samples - timed) * average
        ELSE samples
      END AS weight,
      CASE weighed_by
        WHEN 'cycles' THEN coalesce(cycles, 0)
        WHEN 'seconds' THEN coalesce(seconds, 0)
        ELSE samples
      END AS measured,
      sum(samples) OVER run * average AS weight_of_run
    FROM parts
    WINDOW run AS (PARTITION BY run_id)
  )

SELECT
  run_id, rank, thread, region,
  class, -- Balance, Mem, DTB, ICache, DMA, Other or Unknown.
  samples,
  weighed_by, -- What the samples of the run are weighted by: cycles, seconds where none has cycles, samples where none has either.
  weight, -- Their weight, in that unit.
  measured, -- What of weight was measured: samples without cycles among others weigh as these on average.
  weight / weight_of_run AS share, -- Share of the weight of the run, 0..1.
  stated_sum / stated_cycles AS probability, -- Mean probability of the class by the model, weighted by cycles; NULL where no model was applied.
  cycles, -- Cycles of the samples.
  costed_cycles, -- Cycles of those with cost shares.
  stated_cycles, -- Cycles of those with a probability.
  mem, -- Cycles that would be saved if main memory cost nothing.
  mem_low, -- Lower end of its 90 % band.
  mem_high, -- Upper end of its 90 % band.
  dtb, -- Cycles that would be saved if data-TLB misses cost nothing.
  dtb_low, -- Lower end of its 90 % band.
  dtb_high, -- Upper end of its 90 % band.
  icache, -- Cycles that would be saved if instruction-cache misses cost nothing.
  icache_low, -- Lower end of its 90 % band.
  icache_high, -- Upper end of its 90 % band.
  dma, -- Cycles that would be saved if DMA cost nothing.
  dma_low, -- Lower end of its 90 % band.
  dma_high, -- Upper end of its 90 % band.
  advice, -- What usually helps (bottleneck_rules).
  reason, -- Why they are Unknown.
  said_by -- Who assigned the manual labels among them, if any.
FROM weighed;

CREATE OR REPLACE VIEW bottleneck_verdicts AS -- One row is the verdict on a run, a process, a thread or a region: the class with the largest weight of its samples.
WITH
  classes AS (
    SELECT
      run_id, rank, thread, region, class,
      CASE grouping(rank, thread, region)
        WHEN 7 THEN 'run' WHEN 3 THEN 'process' WHEN 1 THEN 'thread' ELSE 'region'
      END AS place,
      sum(samples) AS samples, sum(weight) AS weight, any_value(weighed_by) AS weighed_by,
      sum(probability * stated_cycles) AS stated_sum, sum(stated_cycles) AS stated_cycles,
      sum(cycles) AS cycles, sum(costed_cycles) AS costed_cycles,
      sum(mem) AS mem, sum(mem_low) AS mem_low, sum(mem_high) AS mem_high,
      sum(dtb) AS dtb, sum(dtb_low) AS dtb_low, sum(dtb_high) AS dtb_high,
      sum(icache) AS icache, sum(icache_low) AS icache_low, sum(icache_high) AS icache_high,
      sum(dma) AS dma, sum(dma_low) AS dma_low, sum(dma_high) AS dma_high,
      any_value(advice) AS advice,
      _main_reason(
        list({'reason': reason, 'measured': measured, 'samples': samples})
          FILTER (reason IS NOT NULL)
      ) AS reason
    FROM bottleneck_weights
    GROUP BY GROUPING SETS (
      (run_id, class), (run_id, rank, class), (run_id, rank, thread, class),
      (run_id, region, class)
    )
  ),

  places AS (
    SELECT
      run_id, place, rank, thread, region,
      _heaviest(
        list(
          {
            'class': class, 'weight': weight, 'samples': samples, 'stated_sum': stated_sum,
            'stated_cycles': stated_cycles, 'advice': advice, 'reason': reason
          } ORDER BY weight DESC, class
        )
      ) AS heaviest,
      sum(weight) AS weight, any_value(weighed_by) AS weighed_by, sum(samples) AS samples,
      sum(cycles) AS cycles, sum(costed_cycles) AS costed,
      sum(mem) AS mem, sum(mem_low) AS mem_low, sum(mem_high) AS mem_high,
      sum(dtb) AS dtb, sum(dtb_low) AS dtb_low, sum(dtb_high) AS dtb_high,
      sum(icache) AS icache, sum(icache_low) AS icache_low, sum(icache_high) AS icache_high,
      sum(dma) AS dma, sum(dma_low) AS dma_low, sum(dma_high) AS dma_high
    FROM classes
    GROUP BY run_id, place, rank, thread, region
  )

SELECT
  run_id,
  place, -- What it is the verdict on: run, process (a rank), thread (of a rank) or region.
  rank, -- MPI rank of a process or thread; NULL where samples are of the whole program.
  thread, region,
  array_to_string(list_transform(heaviest, lambda h: h.class), ' or ') AS class,
  len(heaviest) > 1 AS is_tie, -- Whether several classes have the largest weight, within 1 % of the whole.
  list_sum(list_transform(heaviest, lambda h: h.weight)) / nullif(weight, 0) AS share, -- Share of the weight that is of that class (of a tie: of those classes), 0..1.
  weighed_by, -- What samples are weighted by: cycles, seconds where the run has none, samples where it has neither.
  CAST(list_sum(list_transform(heaviest, lambda h: h.samples)) AS BIGINT) AS samples,
  CAST(samples AS BIGINT) AS all_samples, -- All samples of the place.
  list_sum(list_transform(heaviest, lambda h: h.stated_sum))
    / list_sum(list_transform(heaviest, lambda h: h.stated_cycles)) AS probability, -- Mean probability of those of that class by the model, weighted by cycles.
  weight, -- Weight of all samples of the place.
  cycles, -- Cycles of all samples of the place.
  mem / costed AS frac_mem, -- Share of its cycles that would be saved if main memory cost nothing, 0..1: the largest possible gain of the whole mix of its samples.
  mem_low / costed AS frac_mem_low, -- Lower end of its 90 % band.
  mem_high / costed AS frac_mem_high, -- Upper end of its 90 % band.
  dtb / costed AS frac_dtb, -- Share that would be saved if data-TLB misses cost nothing.
  dtb_low / costed AS frac_dtb_low, -- Lower end of its 90 % band.
  dtb_high / costed AS frac_dtb_high, -- Upper end of its 90 % band.
  icache / costed AS frac_icache, -- Share that would be saved if instruction-cache misses cost nothing.
  icache_low / costed AS frac_icache_low, -- Lower end of its 90 % band.
  icache_high / costed AS frac_icache_high, -- Upper end of its 90 % band.
  dma / costed AS frac_dma,
  dma_low / costed AS frac_dma_low, -- Lower end of its 90 % band.
  dma_high / costed AS frac_dma_high, -- Upper end of its 90 % band.
  array_to_string(list_transform(heaviest, lambda h: h.advice), ' ') AS advice, -- What usually helps (bottleneck_rules).
  CASE WHEN NOT is_tie THEN heaviest[1].reason END AS reason -- The reason with the largest weight where it is Unknown.
FROM places;

CREATE OR REPLACE VIEW bottleneck_by_process AS -- One row is a process of a run and its bottleneck (bottleneck_verdicts).
SELECT run_id,
  rank, -- MPI rank; NULL where samples are of the whole program.
  class, samples,
  share, -- Share of the cycles of the process that is of that class, 0..1; of the time where there are no cycles, else of the samples.
  probability -- Mean probability of those samples by the model, weighted by cycles.
FROM bottleneck_verdicts
WHERE place = 'process';

CREATE OR REPLACE VIEW bottleneck_by_region AS -- One row is a code region of a run and its bottleneck (bottleneck_verdicts).
SELECT
  run_id, region, class, samples,
  share, -- Share of the cycles of the region that is of that class, 0..1; of the time where there are no cycles, else of the samples.
  probability, -- Mean probability of those samples by the model, weighted by cycles.
  cycles, -- Cycles of all samples of the region.
  frac_mem, -- Share of its cycles that would be saved if main memory cost nothing, 0..1.
  frac_dtb, -- Share that would be saved without data-TLB misses.
  frac_icache, -- Share that would be saved without instruction-cache misses.
  frac_dma,
  advice -- What usually helps (bottleneck_rules).
FROM bottleneck_verdicts
WHERE place = 'region';

CREATE OR REPLACE VIEW bottleneck_summary AS -- One row is a class and the number of processes of a run in it.
SELECT run_id, class,
  count(*) AS processes -- Processes (ranks) with that verdict.
FROM bottleneck_by_process
GROUP BY run_id, class;
