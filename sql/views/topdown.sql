-- requires: sample_metrics, regions
--
-- Top-down analysis: where the issue slots of a region went (Yasin, "A top-down method for
-- performance analysis and counters architecture", ISPASS 2014).
--
-- Tools write the parts of level 2 as shares of all slots or of their category; which of these is
-- seen by their sum, or as one part is larger than its category. Where only one of two parts was counted,
-- the other is the rest.

CREATE OR REPLACE MACRO _of_slots(part, other, category) AS CASE
  WHEN part IS NULL AND other > category + 0.02 THEN category * (1 - other)
  WHEN part IS NULL AND other > category THEN 0
  WHEN part IS NULL THEN category - other
  WHEN other IS NULL AND part > category + 0.02 THEN category * part
  WHEN other IS NOT NULL AND abs(part + other - 1) < abs(part + other - category)
    THEN part * category
  ELSE part
END;

CREATE OR REPLACE VIEW topdown AS
WITH
  tall AS (
    SELECT
      s.run_id, s.region, s.reason, coalesce(s.cycles, s.seconds, 1) AS weight,
      list_position(s.metrics, list_max(s.metrics[1:m.whole])) AS most,
      unnest(s.names) AS name, unnest(s.metrics) AS share, unnest(range(1, len(s.names) + 1)) AS i
    FROM sample_metrics AS s
    JOIN metric_sets AS m USING (metric_set)
    WHERE m.whole > 0
  ),

  -- samples that cannot be judged, such as groups of regions, count only where there is no other
  means AS (
    SELECT
      run_id, region, name,
      CASE WHEN count(*) FILTER (reason IS NULL) = 0 THEN mode(reason) END AS reason,
      count(*) FILTER (reason IS NULL) AS samples,
      sum(weight) FILTER (reason IS NULL AND share IS NOT NULL) AS counted,
      sum(share * weight) FILTER (reason IS NULL) / nullif(counted, 0) AS share,
      sum(weight) FILTER (reason IS NULL AND i = most) / nullif(counted, 0) AS span
    FROM tall
    GROUP BY run_id, region, name
  ),

  regions AS (
    SELECT
      run_id, region,
      CASE WHEN count(*) FILTER (reason IS NULL) = 0 THEN any_value(reason) END AS reason,
      CASE
        WHEN max(samples) > 1 THEN list_transform(
          list_sort(list({'share': span, 'name': name}) FILTER (span > 0), 'DESC'),
          lambda s: {'name': s.name, 'share': s.share}
        )
      END AS largest_over_time,
      any_value(share) FILTER (name = 'retiring') AS retiring,
      any_value(share) FILTER (name = 'bad_speculation') AS bad_speculation,
      any_value(share) FILTER (name = 'frontend_bound') AS frontend_bound,
      any_value(share) FILTER (name = 'backend_bound') AS backend_bound,
      any_value(share) FILTER (name = 'smt_contention') AS smt_contention,
      any_value(share) FILTER (name = 'branch_mispredict') AS branch_mispredict,
      any_value(share) FILTER (name = 'machine_clears') AS machine_clears,
      any_value(share) FILTER (name = 'frontend_latency') AS frontend_latency,
      any_value(share) FILTER (name = 'frontend_bandwidth') AS frontend_bandwidth,
      any_value(share) FILTER (name = 'memory_bound') AS memory_bound,
      any_value(share) FILTER (name = 'core_bound') AS core_bound,
      any_value(share) FILTER (name = 'light_operations') AS light_operations,
      any_value(share) FILTER (name = 'heavy_operations') AS heavy_operations
    FROM means
    GROUP BY run_id, region
  ),

  -- a recording of level 2 only: its parts are shares of all slots where they add up to these
  summed AS (
    SELECT
      *,
      branch_mispredict + machine_clears AS bad_speculation_parts,
      frontend_latency + frontend_bandwidth AS frontend_bound_parts,
      memory_bound + core_bound AS backend_bound_parts,
      light_operations + heavy_operations AS retiring_parts,
      coalesce(retiring, bad_speculation, frontend_bound, backend_bound) IS NULL
      AND abs(
        bad_speculation_parts + frontend_bound_parts + backend_bound_parts + retiring_parts
          + coalesce(smt_contention, 0) - 1
      ) < 0.05 AS is_of_parts
    FROM regions
  ),

  whole AS (
    SELECT
      * REPLACE (
        CASE WHEN is_of_parts THEN retiring_parts ELSE retiring END AS retiring,
        CASE WHEN is_of_parts THEN bad_speculation_parts ELSE bad_speculation END AS bad_speculation,
        CASE WHEN is_of_parts THEN frontend_bound_parts ELSE frontend_bound END AS frontend_bound,
        CASE WHEN is_of_parts THEN backend_bound_parts ELSE backend_bound END AS backend_bound
      )
    FROM summed
  ),

  placed AS (
    SELECT
      m.run_id, m.region, coalesce(g.leaf, true) AS leaf, m.reason, m.largest_over_time,
      m.retiring, m.bad_speculation, m.frontend_bound, m.backend_bound, m.smt_contention,
      _of_slots(m.branch_mispredict, m.machine_clears, m.bad_speculation) AS branch_mispredict,
      _of_slots(m.machine_clears, m.branch_mispredict, m.bad_speculation) AS machine_clears,
      _of_slots(m.frontend_latency, m.frontend_bandwidth, m.frontend_bound) AS frontend_latency,
      _of_slots(m.frontend_bandwidth, m.frontend_latency, m.frontend_bound) AS frontend_bandwidth,
      _of_slots(m.memory_bound, m.core_bound, m.backend_bound) AS memory_bound,
      _of_slots(m.core_bound, m.memory_bound, m.backend_bound) AS core_bound,
      _of_slots(m.light_operations, m.heavy_operations, m.retiring) AS light_operations,
      _of_slots(m.heavy_operations, m.light_operations, m.retiring) AS heavy_operations
    FROM whole AS m
    LEFT JOIN pmu_regions AS g
      ON m.run_id = g.run_id AND m.region IS NOT DISTINCT FROM g.region
  ),

  largest AS (
    SELECT
      *,
      list_filter(
        [
          {'name': 'retiring', 'share': retiring},
          {'name': 'bad_speculation', 'share': bad_speculation},
          {'name': 'frontend_bound', 'share': frontend_bound},
          {'name': 'backend_bound', 'share': backend_bound},
          {'name': 'smt_contention', 'share': smt_contention}
        ],
        -- equal up to rounding
        lambda s:
          s.share + 1e-9 >= greatest(
              retiring, bad_speculation, frontend_bound, backend_bound, smt_contention
            )
      ) AS most
    FROM placed
  )

SELECT
  run_id, region, leaf,
  nullif(array_to_string(list_transform(most, lambda s: s.name), ', '), '') AS category,
  most[1].share AS share, largest_over_time,
  CASE category
    WHEN 'bad_speculation' THEN CASE WHEN branch_mispredict >= machine_clears THEN 'branch_mispredict' WHEN machine_clears > branch_mispredict THEN 'machine_clears' END
    WHEN 'frontend_bound' THEN CASE WHEN frontend_latency >= frontend_bandwidth THEN 'frontend_latency' WHEN frontend_bandwidth > frontend_latency THEN 'frontend_bandwidth' END
    WHEN 'backend_bound' THEN CASE WHEN memory_bound >= core_bound THEN 'memory_bound' WHEN core_bound > memory_bound THEN 'core_bound' END
    WHEN 'retiring' THEN CASE WHEN light_operations >= heavy_operations THEN 'light_operations' WHEN heavy_operations > light_operations THEN 'heavy_operations' END
  END AS part,
  CASE part
    WHEN 'branch_mispredict' THEN branch_mispredict WHEN 'machine_clears' THEN machine_clears
    WHEN 'frontend_latency' THEN frontend_latency WHEN 'frontend_bandwidth' THEN frontend_bandwidth
    WHEN 'memory_bound' THEN memory_bound WHEN 'core_bound' THEN core_bound
    WHEN 'light_operations' THEN light_operations WHEN 'heavy_operations' THEN heavy_operations
  END AS part_share,
  CASE coalesce(part, category)
    WHEN 'retiring' THEN 'no bottleneck among these: fewer instructions (vectorisation, a better algorithm)'
    WHEN 'light_operations' THEN 'no bottleneck among these: fewer instructions (vectorisation, a better algorithm)'
    WHEN 'heavy_operations' THEN 'avoid instructions of many micro-operations: divisions, gathers, denormal numbers'
    WHEN 'bad_speculation' THEN 'make branches predictable or leave them out: conditional moves, sorted data, vectorisation'
    WHEN 'branch_mispredict' THEN 'make branches predictable or leave them out: conditional moves, sorted data, vectorisation'
    WHEN 'machine_clears' THEN 'keep threads from writing to one cache line, and loads from overlapping earlier stores'
    WHEN 'frontend_bound' THEN 'shrink and order hot code: profile-guided optimisation, larger pages, less inlining'
    WHEN 'frontend_latency' THEN 'shrink and order hot code: profile-guided optimisation, larger pages, less inlining'
    WHEN 'frontend_bandwidth' THEN 'loops that fit the cache of decoded instructions, fewer taken branches'
    WHEN 'backend_bound' THEN 'where it waits for memory, blocking, reuse and smaller data; where for execution units, shorter chains of dependences and vectorisation (level 2 of the counters tells which)'
    WHEN 'memory_bound' THEN 'blocking, reuse, smaller data, accesses in order, prefetch'
    WHEN 'core_bound' THEN 'shorter chains of dependences, vectorisation, fewer divisions'
    WHEN 'smt_contention' THEN 'two threads share each core: try one thread to a core'
  END AS advice,
  retiring, bad_speculation, frontend_bound, backend_bound, smt_contention, branch_mispredict,
  machine_clears, frontend_latency, frontend_bandwidth, memory_bound, core_bound, light_operations,
  heavy_operations, reason
FROM largest;

COMMENT ON VIEW topdown IS 'One row is a region of a run with top-down counters, and the shares of its issue slots by level 1 and 2.';
COMMENT ON COLUMN topdown.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN topdown.region IS 'Code region or function; NULL for samples of the whole program.';
COMMENT ON COLUMN topdown.leaf IS 'Whether no other region of the run was called from it. Shares of groups, which have hardly any time of their own, can be noise.';
COMMENT ON COLUMN topdown.category IS 'Category of level 1 with the most slots; of equal ones all, with commas.';
COMMENT ON COLUMN topdown.share IS 'Its share, 0..1.';
COMMENT ON COLUMN topdown.largest_over_time IS 'Where there are several samples: which category took the most slots in which share of the recording (0..1, by slots or time), the longest first.';
COMMENT ON COLUMN topdown.part IS 'Its larger part of level 2; NULL where that was not counted, or of several categories.';
COMMENT ON COLUMN topdown.part_share IS 'Share of all slots that is this part, 0..1, as the tool counts it: Caliper counts memory and core bound on Broadwell in cycles, so that they need not add up to the category.';
COMMENT ON COLUMN topdown.advice IS 'What usually helps; NULL of several categories.';
COMMENT ON COLUMN topdown.retiring IS 'Share of the issue slots that retired, which is useful work, 0..1; NULL where it was not counted.';
COMMENT ON COLUMN topdown.bad_speculation IS 'Share of the issue slots lost to instructions that never retired, 0..1; NULL where it was not counted.';
COMMENT ON COLUMN topdown.frontend_bound IS 'Share of the issue slots that stayed empty as no instruction arrived, 0..1; NULL where it was not counted.';
COMMENT ON COLUMN topdown.backend_bound IS 'Share of the issue slots that stayed empty as data or execution units were awaited, 0..1; NULL where it was not counted.';
COMMENT ON COLUMN topdown.smt_contention IS 'Share of the issue slots that the other thread of the core took, 0..1, which AMD counts apart; NULL where it was not counted.';
COMMENT ON COLUMN topdown.branch_mispredict IS 'Share of the issue slots lost to mispredicted branches, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.machine_clears IS 'Share of the issue slots lost to machine clears, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.frontend_latency IS 'Share of the issue slots empty in cycles without any instruction, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.frontend_bandwidth IS 'Share of the issue slots empty in cycles with too few, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.memory_bound IS 'Share of the issue slots that awaited memory, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.core_bound IS 'Share of the issue slots that awaited execution units, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.light_operations IS 'Share of the issue slots that retired from instructions of few operations, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.heavy_operations IS 'Share of the issue slots that retired from instructions of many operations, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.reason IS 'Why there are no shares; NULL where there are.';
