-- requires: metric_sets, functions, regions
--
-- The roofline (Williams, Waterman and Patterson, "Roofline: an insightful visual performance model
-- for multicore architectures", CACM 52, 2009): floating-point operations and bytes of main memory
-- of a region against the peaks of its machine (machine_settings).
--
-- Time is the longest of a rank and thread: by the functions of the run where the region is one,
-- else by its samples, else of the whole run the wall time.

-- Bytes of a unit, as perf scales events to: MiB, Bytes; NULL of another unit, as that of counts.
CREATE OR REPLACE MACRO _unit_bytes(unit) AS CASE
  WHEN regexp_full_match(unit, '(?i)B|Bytes?') THEN 1
  WHEN regexp_full_match(unit, '(?i)[kmgt]iB')
    THEN pow(1024, instr('kmgt', lower(unit[1])))
  WHEN regexp_full_match(unit, '(?i)[kmgt]B')
    THEN pow(1000, instr('kmgt', lower(unit[1])))
END;

CREATE OR REPLACE VIEW roofline AS -- One row is a region of a run of which floating-point operations or bytes of main memory are known, and how near it is to the peaks of its machine.
WITH
  written AS (
    SELECT DISTINCT run_id, source_id, event FROM pmu_samples
  ),

  events AS (
    SELECT w.run_id, w.source_id, w.event, r.quantity, r.factor
    FROM (SELECT *, _event_key(_event_name(event)) AS key FROM written) AS w
    JOIN roofline_events AS r ON w.key = _event_key(r.event)
    QUALIFY rank() OVER (
      PARTITION BY w.run_id, w.source_id, r.quantity ORDER BY r.preference
    ) = 1
  ),

  samples AS (
    SELECT
      s.run_id, s.source_id, s.rank, s.thread, s.cpu, s.region, s.sample,
      sum(s.value * e.factor) FILTER (e.quantity = 'flops') AS flops,
      sum(s.value * coalesce(_unit_bytes(s.unit), e.factor)) FILTER (e.quantity = 'bytes') AS bytes,
      sum(s.value * e.factor) FILTER (e.quantity = 'flops_per_rep') AS flops_per_rep,
      sum(s.value * e.factor) FILTER (e.quantity = 'bytes_per_rep') AS bytes_per_rep,
      max(s.value) FILTER (e.quantity = 'reps') AS reps,
      sum(s.value * e.factor) FILTER (e.quantity = 'flops_per_second') AS flops_per_second,
      sum(s.value * e.factor) FILTER (e.quantity = 'bytes_per_second') AS bytes_per_second,
      coalesce((max(s.t_end) - min(s.t_start)) / 1e9, max(s.seconds)) AS seconds
    FROM pmu_samples AS s
    JOIN events AS e USING (run_id, source_id, event)
    WHERE isfinite(s.value) AND s.value >= 0
    GROUP BY s.run_id, s.source_id, s.rank, s.thread, s.cpu, s.region, s.sample
  ),

  -- what a group of regions states of a repetition is that of the last region within it
  threads AS (
    SELECT
      s.run_id, s.region,
      sum(coalesce(s.flops, CASE WHEN coalesce(g.leaf, true) THEN s.flops_per_rep * s.reps END))
        AS flops,
      sum(coalesce(s.bytes, CASE WHEN coalesce(g.leaf, true) THEN s.bytes_per_rep * s.reps END))
        AS bytes,
      avg(s.flops_per_second) AS flops_per_second, avg(s.bytes_per_second) AS bytes_per_second,
      sum(s.seconds) AS seconds
    FROM samples AS s
    LEFT JOIN pmu_regions AS g ON s.run_id = g.run_id AND s.region = g.region
    GROUP BY s.run_id, s.region, s.rank, s.thread, s.cpu
  ),

  regions AS (
    SELECT
      run_id, region, sum(flops) AS flops, sum(bytes) AS bytes,
      sum(flops_per_second) AS flops_per_second, sum(bytes_per_second) AS bytes_per_second,
      max(seconds) AS seconds
    FROM threads
    GROUP BY run_id, region
    HAVING coalesce(sum(flops), sum(bytes), sum(flops_per_second), sum(bytes_per_second))
      IS NOT NULL
  ),

  -- of every call path, and of every function over all its call paths
  timed AS (
    SELECT run_id, region, max(seconds) AS seconds
    FROM (
      SELECT run_id, callpath AS region, rank, thread, sum(seconds) AS seconds
      FROM fn_timings
      WHERE callpath IS NOT NULL
      GROUP BY ALL
      UNION ALL
      SELECT run_id, "function" AS region, rank, thread, sum(seconds) AS seconds
      FROM fn_timings
      WHERE callpath IS DISTINCT FROM "function"
      GROUP BY ALL
    )
    GROUP BY run_id, region
  ),

  peaks AS (
    SELECT
      machine, max(peak_flops) FILTER (peak_flops > 0) AS peak_flops,
      max(peak_bytes_per_second) FILTER (peak_bytes_per_second > 0) AS peak_bytes_per_second
    FROM machine_settings
    GROUP BY machine
  ),

  rates AS (
    SELECT
      g.run_id, g.region, g.flops, g.bytes,
      coalesce(
        t.seconds, g.seconds, CASE WHEN g.region IS NULL THEN r.wall_seconds END
      ) AS seconds,
      coalesce(g.flops / nullif(coalesce(t.seconds, g.seconds,
        CASE WHEN g.region IS NULL THEN r.wall_seconds END), 0), g.flops_per_second)
        AS flops_per_second,
      coalesce(g.bytes / nullif(coalesce(t.seconds, g.seconds,
        CASE WHEN g.region IS NULL THEN r.wall_seconds END), 0), g.bytes_per_second)
        AS bytes_per_second,
      p.peak_flops, p.peak_bytes_per_second
    FROM regions AS g
    LEFT JOIN runs AS r USING (run_id)
    LEFT JOIN timed AS t ON g.run_id = t.run_id AND g.region = t.region
    LEFT JOIN peaks AS p ON r.machine = p.machine
  ),

  intensities AS (
    SELECT
      *, coalesce(flops / nullif(bytes, 0), flops_per_second / nullif(bytes_per_second, 0))
        AS intensity
    FROM rates
  )

SELECT
  run_id, region,
  flops, -- Floating-point operations.
  bytes, -- Bytes to and from main memory, or of the arrays where a benchmark states these (Bytes/Rep).
  seconds, -- Time, s: the longest of a rank and thread; NULL where unknown.
  intensity, -- Arithmetic intensity: operations to a byte.
  flops_per_second, -- Operations in a second, as computed or as the tool states it.
  bytes_per_second, -- Bytes in a second, as computed or as the tool states it.
  peak_flops, -- Operations that its machine can reach in a second (machine_settings); NULL where unknown.
  peak_bytes_per_second, -- Bytes that its machine can move in a second (machine_settings); NULL where unknown.
  CASE
    WHEN peak_flops IS NOT NULL AND intensity * peak_bytes_per_second IS NOT NULL
      THEN least(peak_flops, intensity * peak_bytes_per_second)
  END AS attainable, -- Operations in a second that the roof allows at this intensity; NULL where a peak is unknown.
  flops_per_second / nullif(attainable, 0) AS reached, -- Share of the attainable that is reached; over 1 where the peaks are stated too low, or the bytes come from caches.
  CASE
    WHEN attainable IS NULL THEN NULL
    WHEN intensity * peak_bytes_per_second < peak_flops THEN 'memory'
    ELSE 'compute'
  END AS bound -- Which roof is the lower one at this intensity: memory or compute; NULL where a peak is unknown.
FROM intensities;
