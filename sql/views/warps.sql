-- Divergence of single warps, from the vectors of their threads.
--
-- A warp visits a block as often as that of its threads which visits it most: an upper bound of its
-- SIMT efficiency, which is exact but where loops with irregular trip counts are nested.

CREATE OR REPLACE VIEW _warp_sums AS
WITH
  -- Rows are the lanes of a block; not where rows are cut into intervals, which are left out.
  lanes AS (
    SELECT
      v.run_id, v.launch, v.kernel, v.block, v.warp, v.bb,
      CAST(sum(v.instructions) AS BIGINT) AS instructions,
      max(v.instructions) AS warp_instructions,
      count(v.instructions) = count(*) AS known
    FROM bb_visits AS v
    WHERE v.warp IS NOT NULL AND v.thread IS NOT NULL AND v.interval IS NULL
    GROUP BY v.run_id, v.launch, v.kernel, v.block, v.warp, v.bb
  )

SELECT
  run_id, launch, kernel, block, warp,
  CASE WHEN bool_and(known) THEN CAST(sum(instructions) AS BIGINT) END AS instructions,
  CASE WHEN bool_and(known) THEN CAST(sum(warp_instructions) AS BIGINT) END AS warp_instructions
FROM lanes
GROUP BY run_id, launch, kernel, block, warp;

CREATE OR REPLACE VIEW warp_divergence AS
WITH
  sizes AS (
    SELECT run_id, launch, max(warp_size) AS warp_size
    FROM bb_launches
    GROUP BY run_id, launch
  ),

  threads AS (
    SELECT run_id, launch, block, warp, count(DISTINCT thread) AS threads
    FROM bb_visits
    WHERE warp IS NOT NULL AND thread IS NOT NULL AND interval IS NULL
    GROUP BY run_id, launch, block, warp
  )

SELECT
  w.run_id, w.launch, w.kernel, w.block, w.warp, t.threads, w.instructions, w.warp_instructions,
  w.instructions / nullif(s.warp_size * w.warp_instructions, 0) AS simt_efficiency,
  s.warp_size * w.warp_instructions - w.instructions AS idle_lanes,
  rank() OVER (
    PARTITION BY w.run_id, w.launch
    ORDER BY s.warp_size * w.warp_instructions - w.instructions DESC NULLS LAST
  ) AS rank
FROM _warp_sums AS w
JOIN threads AS t
  ON w.run_id = t.run_id AND w.launch = t.launch AND w.block IS NOT DISTINCT FROM t.block
  AND w.warp = t.warp
LEFT JOIN sizes AS s ON w.run_id = s.run_id AND w.launch = s.launch;

COMMENT ON VIEW warp_divergence IS 'One row is one warp; ranked by what divergence costs in its launch.';
COMMENT ON COLUMN warp_divergence.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN warp_divergence.launch IS 'Launch within the run, from 0.';
COMMENT ON COLUMN warp_divergence.kernel IS 'Kernel.';
COMMENT ON COLUMN warp_divergence.block IS 'Thread block, linear in the grid.';
COMMENT ON COLUMN warp_divergence.warp IS 'Warp within its thread block.';
COMMENT ON COLUMN warp_divergence.threads IS 'Threads of the warp that executed anything.';
COMMENT ON COLUMN warp_divergence.instructions IS 'Executed thread instructions.';
COMMENT ON COLUMN warp_divergence.warp_instructions IS 'Warp instructions, at least: of each block those of the thread that visited it most.';
COMMENT ON COLUMN warp_divergence.simt_efficiency IS 'Thread instructions over warp size x warp instructions, 0..1: an upper bound; NULL where the warp size is not known.';
COMMENT ON COLUMN warp_divergence.idle_lanes IS 'Instruction slots in which a lane idled, at least.';
COMMENT ON COLUMN warp_divergence.rank IS 'Place in the launch by idle_lanes, 1 the most.';
