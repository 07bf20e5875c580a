-- requires: blocks, behaviour_thresholds
--
-- Lanes of single warps, from the vectors of their threads.
--
-- A warp visits a block as often as that of its threads which visits it most: an upper bound of its
-- SIMT efficiency, which is exact but where loops with irregular trip counts are nested. A warp of
-- which only some threads are traced has none, as nothing is known of its other lanes. Where no size
-- of a basic block is known, each visit counts as one instruction.

-- One row is one basic block in one warp; not where rows are cut into intervals.
CREATE OR REPLACE VIEW _warp_blocks AS
SELECT
  run_id, launch, kernel, block, warp, bb,
  CAST(sum(executed) AS BIGINT) AS instructions,
  max(executed) AS warp_instructions,
  count(executed) = count(*) AS known,
  bool_or(is_weighed_one) AS is_weighed_one
FROM _thread_visits
WHERE warp IS NOT NULL
GROUP BY run_id, launch, kernel, block, warp, bb;

-- One row is one warp with its lanes: those that its thread block has for it.
CREATE OR REPLACE VIEW _warp_sums AS
WITH
  sums AS (
    SELECT
      run_id, launch, kernel, block, warp,
      CASE WHEN bool_and(known) THEN CAST(sum(instructions) AS BIGINT) END AS instructions,
      CASE WHEN bool_and(known)
        THEN CAST(sum(warp_instructions) AS BIGINT) END AS warp_instructions,
      bool_or(is_weighed_one) AS is_weighed_one
    FROM _warp_blocks
    GROUP BY run_id, launch, kernel, block, warp
  ),

  threads AS (
    SELECT run_id, launch, block, warp, count(DISTINCT thread) AS threads
    FROM _thread_visits
    WHERE warp IS NOT NULL
    GROUP BY run_id, launch, block, warp
  ),

  sized AS (
    SELECT
      w.*, t.threads, l.warp_size,
      CASE
        WHEN w.warp * l.warp_size < l.block_size
          THEN least(l.warp_size, l.block_size - w.warp * l.warp_size)
        -- Of a thread block of unknown size, or with warps beyond it, full warps are whole.
        WHEN t.threads = l.warp_size THEN l.warp_size
      END AS lanes
    FROM sums AS w
    JOIN threads AS t
      ON w.run_id = t.run_id AND w.launch = t.launch AND w.block IS NOT DISTINCT FROM t.block
      AND w.warp = t.warp
    LEFT JOIN _launched AS l ON w.run_id = l.run_id AND w.launch = l.launch
  )

SELECT
  *,
  threads = lanes AS complete,
  CASE WHEN threads = lanes THEN lanes * warp_instructions - instructions END AS idle_lanes
FROM sized;

CREATE OR REPLACE VIEW warp_divergence AS -- One row is one warp; ranked by what divergence costs in its launch.
SELECT
  w.run_id, w.launch, w.kernel,
  w.block, -- Thread block, linear in the grid.
  w.warp,
  w.threads, -- Traced threads of the warp.
  w.lanes, -- Lanes that have a thread: fewer than the warp size where the thread block ends within the warp; NULL where the size of thread blocks is not known and the warp is not full.
  w.instructions, -- Executed thread instructions; visits where no size of a basic block is known.
  w.warp_instructions, -- Warp instructions, at least: of each block those of the thread that visited it most.
  CASE WHEN w.complete
    THEN w.instructions / nullif(w.warp_size * w.warp_instructions, 0) END AS simt_efficiency, -- Thread instructions over warp size x warp instructions, 0..1: an upper bound; NULL where the warp size is not known, or not all lanes are traced.
  w.idle_lanes, -- Instruction slots in which a lane that has a thread idled, at least; NULL where not all lanes are traced.
  w.idle_lanes / nullif(w.lanes * w.warp_instructions, 0) > (
    SELECT threshold FROM behaviour_thresholds WHERE rate = 'idle_lanes'
  ) AS divergent, -- Lanes of the warp part: the share of their slots that idle is over the threshold of idle_lanes (behaviour_thresholds).
  rank() OVER (PARTITION BY w.run_id, w.launch ORDER BY w.idle_lanes DESC NULLS LAST) AS rank -- Place in the launch by idle_lanes, 1 the most.
FROM _warp_sums AS w;
