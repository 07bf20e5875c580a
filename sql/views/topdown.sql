-- requires: sample_metrics, regions
--
-- Top-down analysis: where the issue slots of a region went (Yasin, "A top-down method for
-- performance analysis and counters architecture", ISPASS 2014).
--
-- Tools write the parts of level 2 as shares of all slots or of their category; which of these is
-- seen by their sum. Where only one of two parts was counted, the other is the rest.

CREATE OR REPLACE MACRO _of_slots(part, other, category) AS CASE
  WHEN part IS NULL THEN category - other
  WHEN other IS NOT NULL AND abs(part + other - 1) < abs(part + other - category)
    THEN part * category
  ELSE part
END;

CREATE OR REPLACE VIEW topdown AS
WITH
  tall AS (
    SELECT
      s.run_id, s.region, s.reason, coalesce(s.cycles, s.seconds, 1) AS weight,
      unnest(s.names) AS name, unnest(s.metrics) AS share
    FROM sample_metrics AS s
    JOIN metric_sets AS m USING (metric_set)
    WHERE m.whole > 0
  ),

  -- samples that cannot be judged, such as groups of regions, count only where there is no other
  means AS (
    SELECT
      run_id, region, CASE WHEN count(*) FILTER (reason IS NULL) = 0 THEN mode(reason) END AS reason,
      sum(share * weight) FILTER (name = 'retiring' AND reason IS NULL)
        / sum(weight) FILTER (name = 'retiring' AND reason IS NULL AND share IS NOT NULL) AS retiring,
      sum(share * weight) FILTER (name = 'bad_speculation' AND reason IS NULL)
        / sum(weight) FILTER (name = 'bad_speculation' AND reason IS NULL AND share IS NOT NULL) AS bad_speculation,
      sum(share * weight) FILTER (name = 'frontend_bound' AND reason IS NULL)
        / sum(weight) FILTER (name = 'frontend_bound' AND reason IS NULL AND share IS NOT NULL) AS frontend_bound,
      sum(share * weight) FILTER (name = 'backend_bound' AND reason IS NULL)
        / sum(weight) FILTER (name = 'backend_bound' AND reason IS NULL AND share IS NOT NULL) AS backend_bound,
      sum(share * weight) FILTER (name = 'branch_mispredict' AND reason IS NULL)
        / sum(weight) FILTER (name = 'branch_mispredict' AND reason IS NULL AND share IS NOT NULL) AS branch_mispredict,
      sum(share * weight) FILTER (name = 'machine_clears' AND reason IS NULL)
        / sum(weight) FILTER (name = 'machine_clears' AND reason IS NULL AND share IS NOT NULL) AS machine_clears,
      sum(share * weight) FILTER (name = 'frontend_latency' AND reason IS NULL)
        / sum(weight) FILTER (name = 'frontend_latency' AND reason IS NULL AND share IS NOT NULL) AS frontend_latency,
      sum(share * weight) FILTER (name = 'frontend_bandwidth' AND reason IS NULL)
        / sum(weight) FILTER (name = 'frontend_bandwidth' AND reason IS NULL AND share IS NOT NULL) AS frontend_bandwidth,
      sum(share * weight) FILTER (name = 'memory_bound' AND reason IS NULL)
        / sum(weight) FILTER (name = 'memory_bound' AND reason IS NULL AND share IS NOT NULL) AS memory_bound,
      sum(share * weight) FILTER (name = 'core_bound' AND reason IS NULL)
        / sum(weight) FILTER (name = 'core_bound' AND reason IS NULL AND share IS NOT NULL) AS core_bound,
      sum(share * weight) FILTER (name = 'light_operations' AND reason IS NULL)
        / sum(weight) FILTER (name = 'light_operations' AND reason IS NULL AND share IS NOT NULL) AS light_operations,
      sum(share * weight) FILTER (name = 'heavy_operations' AND reason IS NULL)
        / sum(weight) FILTER (name = 'heavy_operations' AND reason IS NULL AND share IS NOT NULL) AS heavy_operations
    FROM tall
    GROUP BY run_id, region
  ),

  placed AS (
    SELECT
      m.run_id, m.region, coalesce(g.leaf, true) AS leaf, m.reason,
      m.retiring, m.bad_speculation, m.frontend_bound, m.backend_bound,
      _of_slots(m.branch_mispredict, m.machine_clears, m.bad_speculation) AS branch_mispredict,
      _of_slots(m.machine_clears, m.branch_mispredict, m.bad_speculation) AS machine_clears,
      _of_slots(m.frontend_latency, m.frontend_bandwidth, m.frontend_bound) AS frontend_latency,
      _of_slots(m.frontend_bandwidth, m.frontend_latency, m.frontend_bound) AS frontend_bandwidth,
      _of_slots(m.memory_bound, m.core_bound, m.backend_bound) AS memory_bound,
      _of_slots(m.core_bound, m.memory_bound, m.backend_bound) AS core_bound,
      _of_slots(m.light_operations, m.heavy_operations, m.retiring) AS light_operations,
      _of_slots(m.heavy_operations, m.light_operations, m.retiring) AS heavy_operations
    FROM means AS m
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
          {'name': 'backend_bound', 'share': backend_bound}
        ],
        -- equal up to rounding
        lambda s:
          s.share + 1e-9 >= greatest(retiring, bad_speculation, frontend_bound, backend_bound)
      ) AS most
    FROM placed
  )

SELECT
  run_id, region, leaf,
  nullif(array_to_string(list_transform(most, lambda s: s.name), ', '), '') AS category,
  most[1].share AS share,
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
  retiring, bad_speculation, frontend_bound, backend_bound, branch_mispredict, machine_clears,
  frontend_latency, frontend_bandwidth, memory_bound, core_bound, light_operations,
  heavy_operations, reason
FROM largest;

COMMENT ON VIEW topdown IS 'One row is a region of a run with top-down counters, and the shares of its issue slots by level 1 and 2.';
COMMENT ON COLUMN topdown.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN topdown.region IS 'Code region or function; NULL for samples of the whole program.';
COMMENT ON COLUMN topdown.leaf IS 'Whether no other region of the run was called from it. Shares of groups, which have hardly any time of their own, can be noise.';
COMMENT ON COLUMN topdown.category IS 'Category of level 1 with the most slots; of equal ones all, with commas.';
COMMENT ON COLUMN topdown.share IS 'Its share, 0..1.';
COMMENT ON COLUMN topdown.part IS 'Its larger part of level 2; NULL where that was not counted, or of several categories.';
COMMENT ON COLUMN topdown.part_share IS 'Share of all slots that is this part, 0..1, as the tool counts it: Caliper counts memory and core bound on Broadwell in cycles, so that they need not add up to the category.';
COMMENT ON COLUMN topdown.retiring IS 'Share of the issue slots that retired, which is useful work, 0..1; NULL where it was not counted.';
COMMENT ON COLUMN topdown.bad_speculation IS 'Share of the issue slots lost to instructions that never retired, 0..1; NULL where it was not counted.';
COMMENT ON COLUMN topdown.frontend_bound IS 'Share of the issue slots that stayed empty as no instruction arrived, 0..1; NULL where it was not counted.';
COMMENT ON COLUMN topdown.backend_bound IS 'Share of the issue slots that stayed empty as data or execution units were awaited, 0..1; NULL where it was not counted.';
COMMENT ON COLUMN topdown.branch_mispredict IS 'Share of the issue slots lost to mispredicted branches, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.machine_clears IS 'Share of the issue slots lost to machine clears, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.frontend_latency IS 'Share of the issue slots empty in cycles without any instruction, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.frontend_bandwidth IS 'Share of the issue slots empty in cycles with too few, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.memory_bound IS 'Share of the issue slots that awaited memory, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.core_bound IS 'Share of the issue slots that awaited execution units, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.light_operations IS 'Share of the issue slots that retired from instructions of few operations, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.heavy_operations IS 'Share of the issue slots that retired from instructions of many operations, 0..1: level 2; NULL where it was not counted.';
COMMENT ON COLUMN topdown.reason IS 'Why there are no shares; NULL where there are.';
