-- Basic blocks: transitions with their probabilities, vectors of threads, sums of launches.

CREATE OR REPLACE VIEW bb_transitions AS
WITH
  edges AS (
    SELECT run_id, launch, kernel, src, dst, CAST(sum(count) AS BIGINT) AS count
    FROM bb_edges
    GROUP BY ALL
  )

SELECT
  run_id, launch, kernel, src, dst, count,
  count / sum(count) OVER (PARTITION BY run_id, launch, kernel, src) AS probability
FROM edges;

COMMENT ON VIEW bb_transitions IS 'One row is one edge of the control-flow graph of a launch, over all its threads.';
COMMENT ON COLUMN bb_transitions.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bb_transitions.launch IS 'Launch within the run, from 0.';
COMMENT ON COLUMN bb_transitions.kernel IS 'Kernel; NULL for a CPU program.';
COMMENT ON COLUMN bb_transitions.src IS 'Basic block that was left.';
COMMENT ON COLUMN bb_transitions.dst IS 'Basic block that was visited next.';
COMMENT ON COLUMN bb_transitions.count IS 'Times dst followed src in a thread.';
COMMENT ON COLUMN bb_transitions.probability IS 'count over all times src was left.';

CREATE OR REPLACE VIEW bb_vectors AS
WITH
  sums AS (
    SELECT
      run_id, launch, kernel, block, warp, thread, bb,
      CAST(sum(visits) AS BIGINT) AS visits, CAST(sum(instructions) AS BIGINT) AS instructions
    FROM bb_visits
    GROUP BY ALL
  )

SELECT
  run_id, launch, kernel, block, warp, thread,
  list(bb ORDER BY bb) AS bbs,
  list(visits ORDER BY bb) AS visits,
  list(instructions ORDER BY bb) AS instructions
FROM sums
GROUP BY ALL;

COMMENT ON VIEW bb_vectors IS 'One row is the basic-block vector of one thread, over all its intervals; blocks it never entered are left out.';
COMMENT ON COLUMN bb_vectors.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bb_vectors.launch IS 'Launch within the run, from 0.';
COMMENT ON COLUMN bb_vectors.kernel IS 'Kernel; NULL for a CPU program.';
COMMENT ON COLUMN bb_vectors.block IS 'Thread block, linear in the grid; NULL for CPU threads.';
COMMENT ON COLUMN bb_vectors.warp IS 'Warp within its thread block.';
COMMENT ON COLUMN bb_vectors.thread IS 'Thread, linear in its thread block.';
COMMENT ON COLUMN bb_vectors.bbs IS 'Basic blocks that the thread entered, ascending.';
COMMENT ON COLUMN bb_vectors.visits IS 'Visits of each of bbs; NULL where only instructions are known.';
COMMENT ON COLUMN bb_vectors.instructions IS 'Instructions executed in each of bbs.';

CREATE OR REPLACE VIEW launch_summary AS
WITH
  visits AS (
    SELECT
      v.run_id, v.launch,
      count(DISTINCT (v.block, v.thread)) AS threads,
      count(DISTINCT v.bb) AS blocks_visited,
      CAST(sum(v.visits) AS BIGINT) AS visits,
      CAST(sum(v.instructions) AS BIGINT) AS instructions,
      CASE WHEN count(v.visits * b.barriers) = count(*)
        THEN CAST(sum(v.visits * b.barriers) AS BIGINT) END AS barriers
    FROM bb_visits AS v
    LEFT JOIN bb_blocks AS b
      ON v.run_id = b.run_id AND v.kernel IS NOT DISTINCT FROM b.kernel AND v.bb = b.bb
    GROUP BY v.run_id, v.launch
  )

SELECT
  l.run_id, l.launch, l.kernel, v.threads, v.blocks_visited, v.visits,
  coalesce(l.instructions, v.instructions) AS instructions,
  v.barriers,
  v.barriers / nullif(v.visits, 0) AS sync_rate,
  l.instructions / nullif(l.warp_size * l.warp_instructions, 0) AS simt_efficiency
FROM bb_launches AS l
LEFT JOIN visits AS v ON l.run_id = v.run_id AND l.launch = v.launch;

COMMENT ON VIEW launch_summary IS 'One row is one kernel launch; a CPU program is launch 0.';
COMMENT ON COLUMN launch_summary.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN launch_summary.launch IS 'Launch within the run, from 0.';
COMMENT ON COLUMN launch_summary.kernel IS 'Kernel; NULL for a CPU program.';
COMMENT ON COLUMN launch_summary.threads IS 'Threads that executed anything.';
COMMENT ON COLUMN launch_summary.blocks_visited IS 'Basic blocks that any thread entered.';
COMMENT ON COLUMN launch_summary.visits IS 'Visits of basic blocks, over all threads; NULL where only instructions are known.';
COMMENT ON COLUMN launch_summary.instructions IS 'Executed thread instructions.';
COMMENT ON COLUMN launch_summary.barriers IS 'Executed barrier instructions, over all threads; NULL where those of a visited block are not known.';
COMMENT ON COLUMN launch_summary.sync_rate IS 'Executed barrier instructions over visits of basic blocks.';
COMMENT ON COLUMN launch_summary.simt_efficiency IS 'Thread instructions over warp size x warp instructions, 0..1; NULL where warps are not known.';
