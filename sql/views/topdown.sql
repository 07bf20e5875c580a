-- requires: sample_metrics, regions, slots
--
-- Top-down analysis: where the issue slots of a region went (Yasin, "A top-down method for
-- performance analysis and counters architecture", ISPASS 2014).

CREATE OR REPLACE VIEW topdown AS -- One row is a region of a run with top-down counters, and the shares of its issue slots by level 1 and 2.
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
      map(list(name), list(share)) AS shares
    FROM means
    GROUP BY run_id, region
  ),

  -- A macro repeats its argument, so that is a column; and a condition on what is computed of the
  -- shares would repeat that, but not through unnest().
  slotted AS (SELECT *, unnest([_slots(shares)]) AS slots FROM regions),

  placed AS (
    SELECT
      m.run_id, m.region, coalesce(g.leaf, true) AS leaf, m.reason, m.largest_over_time,
      _slot_limit(m.slots) AS limits,
      slots['retiring'] AS retiring, slots['bad_speculation'] AS bad_speculation,
      slots['frontend_bound'] AS frontend_bound, slots['backend_bound'] AS backend_bound,
      slots['smt_contention'] AS smt_contention,
      slots['branch_mispredict'] AS branch_mispredict, slots['machine_clears'] AS machine_clears,
      slots['frontend_latency'] AS frontend_latency,
      slots['frontend_bandwidth'] AS frontend_bandwidth,
      slots['memory_bound'] AS memory_bound, slots['core_bound'] AS core_bound,
      slots['light_operations'] AS light_operations, slots['heavy_operations'] AS heavy_operations
    FROM slotted AS m
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
  ),

  -- with the parts of the category, the first of equal ones first
  divided AS (
    SELECT
      *,
      nullif(array_to_string(list_transform(most, lambda s: s.name), ', '), '') AS category,
      CASE category
        WHEN 'bad_speculation' THEN [
          {'name': 'branch_mispredict', 'share': branch_mispredict},
          {'name': 'machine_clears', 'share': machine_clears}
        ]
        WHEN 'frontend_bound' THEN [
          {'name': 'frontend_latency', 'share': frontend_latency},
          {'name': 'frontend_bandwidth', 'share': frontend_bandwidth}
        ]
        WHEN 'backend_bound' THEN [
          {'name': 'memory_bound', 'share': memory_bound},
          {'name': 'core_bound', 'share': core_bound}
        ]
        WHEN 'retiring' THEN [
          {'name': 'light_operations', 'share': light_operations},
          {'name': 'heavy_operations', 'share': heavy_operations}
        ]
      END AS parts
    FROM largest
  ),

  parted AS (
    SELECT
      *,
      CASE
        WHEN parts[1].share >= parts[2].share THEN parts[1]
        WHEN parts[2].share > parts[1].share THEN parts[2]
      END AS larger
    FROM divided
  )

SELECT
  run_id, region,
  leaf, -- Whether no other region of the run was called from it. Shares of groups, which have hardly any time of their own, can be noise.
  category, -- Category of level 1 with the most slots; of equal ones all, with commas.
  most[1].share AS share, -- Its share, 0..1.
  largest_over_time, -- Where there are several samples: which category took the most slots in which share of the recording (0..1, by slots or time), the longest first.
  larger.name AS part, -- Its larger part of level 2; NULL where that was not counted, or of several categories.
  larger.share AS part_share, -- Share of all slots that is this part, 0..1, as the tool counts it: Caliper counts memory and core bound on Broadwell in cycles, so that they need not add up to the category.
  -- most slots may retire, though others are lost
  _slot_advice(
    CASE WHEN category = 'retiring' AND limits <> category THEN limits
      ELSE coalesce(larger.name, category)
    END
  ) AS advice, -- What usually helps; where retiring takes most slots and a loss more than its threshold, against that; NULL of several categories.
  retiring, -- Share of the issue slots that retired, which is useful work, 0..1; NULL where it was not counted.
  bad_speculation, -- Share of the issue slots lost to instructions that never retired, 0..1; NULL where it was not counted.
  frontend_bound, -- Share of the issue slots that stayed empty as no instruction arrived, 0..1; NULL where it was not counted.
  backend_bound, -- Share of the issue slots that stayed empty as data or execution units were awaited, 0..1; NULL where it was not counted.
  smt_contention, -- Share of the issue slots that the other thread of the core took, 0..1, which AMD counts apart; NULL where it was not counted.
  branch_mispredict, -- Share of the issue slots lost to mispredicted branches, 0..1: level 2; NULL where it was not counted.
  machine_clears, -- Share of the issue slots lost to machine clears, 0..1: level 2; NULL where it was not counted.
  frontend_latency, -- Share of the issue slots empty in cycles without any instruction, 0..1: level 2; NULL where it was not counted.
  frontend_bandwidth, -- Share of the issue slots empty in cycles with too few, 0..1: level 2; NULL where it was not counted.
  memory_bound, -- Share of the issue slots that awaited memory, 0..1: level 2; NULL where it was not counted.
  core_bound, -- Share of the issue slots that awaited execution units, 0..1: level 2; NULL where it was not counted.
  light_operations, -- Share of the issue slots that retired from instructions of few operations, 0..1: level 2; NULL where it was not counted.
  heavy_operations, -- Share of the issue slots that retired from instructions of many operations, 0..1: level 2; NULL where it was not counted.
  reason -- Why there are no shares; NULL where there are.
FROM parted;
