-- requires: flags, thread_behaviour
--
-- Verdicts on the threads of kernels and of whole programs, over all their launches.
--
-- Launches count by their instructions: shares of idle slots are those of all launches together, as
-- if they were one, so that neither many tiny launches nor a few outvote the rest. The instructions
-- of a launch of which some threads are traced are scaled up to all of them. Where none has any,
-- visits count. There is a verdict where
-- launches with at least nine tenths of the instructions have one, or all launches have the same.

CREATE OR REPLACE VIEW _behaviour_sums AS
WITH
  launches AS (
    SELECT
      *,
      CASE
        WHEN count(instructions) OVER (PARTITION BY run_id) = 0 THEN visits
        WHEN traced_share < 1 AND instructions <= traced_instructions
          THEN instructions / traced_share
        ELSE instructions
      END AS weight
    FROM thread_behaviour
  ),

  sums AS (
    SELECT
      run_id, kernel,
      GROUPING(kernel) = 1 AS whole_program,
      count(*) AS launches,
      count(DISTINCT kernel) AS kernels,
      CASE WHEN count(weight) = count(*) THEN sum(weight) END AS weight,
      CASE WHEN count(instructions) = count(*)
        THEN CAST(sum(instructions) AS BIGINT) END AS instructions,
      coalesce(sum(weight) FILTER (divergent IS NOT NULL), 0) AS judged,
      coalesce(sum(weight) FILTER (divergent), 0) AS divergent_weight,
      coalesce(sum(weight) FILTER (idle_lane_share IS NOT NULL), 0) AS lanes_known,
      coalesce(sum(weight) FILTER (idle_warp_share IS NOT NULL), 0) AS warps_known,
      coalesce(sum(weight) FILTER (sync_rate IS NOT NULL), 0) AS sync_known,
      count(*) FILTER (divergent) AS divergent_launches,
      -- instructions over the slots that they took
      sum(weight) FILTER (simt_efficiency IS NOT NULL)
        / nullif(sum(weight / nullif(simt_efficiency, 0)), 0) AS simt_efficiency,
      bool_or(simt_is_bound) AS simt_is_bound,
      1 - sum(weight) FILTER (idle_lane_share IS NOT NULL)
        / nullif(sum(weight / nullif(1 - idle_lane_share, 0)), 0) AS idle_lane_share,
      1 - sum(weight) FILTER (idle_warp_share IS NOT NULL)
        / nullif(sum(weight / nullif(1 - idle_warp_share, 0)), 0) AS idle_warp_share,
      sum(fluctuation * weight) / nullif(sum(weight) FILTER (fluctuation IS NOT NULL), 0)
        AS fluctuation,
      sum(barriers) FILTER (sync_rate IS NOT NULL)
        / nullif(sum(visits) FILTER (sync_rate IS NOT NULL), 0) AS sync_rate,
      sum(barriers) FILTER (sync_share IS NOT NULL)
        / nullif(sum(traced_instructions) FILTER (sync_share IS NOT NULL), 0) AS sync_share,
      min(traced_share) AS least_traced_share,
      CASE WHEN count(divergent) = count(*) AND count(DISTINCT divergent) = 1
        THEN bool_and(divergent) END AS all_divergent,
      CASE WHEN count(kind) = count(*) AND count(DISTINCT kind) = 1
        THEN any_value(kind) END AS all_kind,
      CASE WHEN count(synchronising) = count(*) AND count(DISTINCT synchronising) = 1
        THEN bool_and(synchronising) END AS all_synchronising,
      any_value(simt_threshold) AS simt_threshold,
      any_value(sync_threshold) AS sync_threshold,
      any_value(fluctuation_threshold) AS fluctuation_threshold
    FROM launches
    GROUP BY GROUPING SETS ((run_id, kernel), (run_id))
  ),

  verdicts AS (
    SELECT
      *,
      coalesce(
        all_divergent,
        CASE
          WHEN lanes_known >= 0.9 * weight THEN idle_lane_share > 1 - simt_threshold
          WHEN judged >= 0.9 * weight THEN divergent_weight > judged / 2
        END
      ) AS divergent,
      CASE WHEN warps_known >= 0.9 * weight THEN idle_warp_share > 1 - simt_threshold END
        AS warps_part,
      coalesce(
        all_synchronising,
        CASE WHEN sync_known >= 0.9 * weight 
          THEN _is_synchronising(sync_rate, sync_threshold, sync_share) END
      ) AS synchronising
    FROM sums
  )

SELECT
  run_id, kernel, whole_program, launches, kernels, instructions,
  judged / nullif(weight, 0) AS judged_share,
  divergent_launches,
  CASE WHEN judged >= 0.9 * weight THEN divergent_weight / nullif(judged, 0) END
    AS divergent_share,
  simt_efficiency, simt_is_bound, idle_lane_share, idle_warp_share, fluctuation, sync_rate,
  sync_share,
  least_traced_share, divergent,
  coalesce(
    all_kind,
    CASE
      WHEN divergent AND warps_part THEN 'both'
      WHEN divergent AND NOT warps_part THEN 'lanes'
      WHEN NOT divergent AND warps_part THEN 'warps'
      WHEN NOT divergent AND NOT warps_part THEN 'neither'
    END
  ) AS kind,
  synchronising, simt_threshold, sync_threshold, fluctuation_threshold,
  CASE
    WHEN divergent IS NOT NULL THEN
      CASE WHEN synchronising IS NULL
        THEN _flag('sync_unknown') END
    WHEN weight IS NULL THEN _flag('launches_unknown')
    WHEN judged = 0 THEN _flag('launches_unjudged')
    ELSE _flag('launches_judged', MAP {'share': printf('%.3g %%', 100 * judged / weight)})
  END AS note
FROM verdicts;

CREATE OR REPLACE VIEW kernel_behaviour AS -- One row is one kernel of a run: the verdict on its threads over all its launches, which count by their instructions.
SELECT * EXCLUDE (whole_program, kernels)
FROM _behaviour_sums
WHERE NOT whole_program;

COMMENT ON COLUMN kernel_behaviour.kind IS 'lanes, warps, both or neither, as in thread_behaviour.';
COMMENT ON COLUMN kernel_behaviour.note IS 'Why divergence or synchronisation is unknown.';

CREATE OR REPLACE VIEW program_behaviour AS -- One row is one run: the verdict on the threads of all launches of all its kernels, which count by their instructions.
SELECT * EXCLUDE (whole_program, kernel)
FROM _behaviour_sums
WHERE whole_program;

COMMENT ON COLUMN program_behaviour.kernels IS 'Kernels.';
COMMENT ON COLUMN program_behaviour.kind IS 'lanes, warps, both or neither, as in thread_behaviour.';
COMMENT ON COLUMN program_behaviour.note IS 'Why divergence or synchronisation is unknown.';
