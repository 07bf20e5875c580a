-- requires: similarity, warps, behaviour_thresholds
--
-- Verdicts on the threads of a launch: dominated by branch divergence, by synchronisation, neither.

CREATE OR REPLACE VIEW thread_behaviour AS
WITH
  visited AS (
    SELECT
      run_id, launch, kernel, bb,
      CASE WHEN count(visits) = count(*) THEN CAST(sum(visits) AS BIGINT) END AS visits,
      count(*) - count(thread) AS without_thread,
      count(*) - count(block) AS without_block
    FROM bb_visits
    GROUP BY run_id, launch, kernel, bb
  ),

  -- sums of a launch over all visits, with or without threads
  sums AS (
    SELECT
      v.run_id, v.launch,
      any_value(v.kernel) AS kernel,
      count(DISTINCT v.bb) AS basic_blocks,
      CASE WHEN count(v.visits) = count(*) THEN CAST(sum(v.visits) AS BIGINT) END AS visits,
      CASE WHEN count(v.visits * b.barriers) = count(*)
        THEN CAST(sum(v.visits * b.barriers) AS BIGINT) END AS barriers,
      sum(v.without_thread) = 0 AS threads_known,
      sum(v.without_block) = 0 AS blocks_known
    FROM visited AS v
    LEFT JOIN _bb_barriers AS b
      ON v.run_id = b.run_id AND v.kernel IS NOT DISTINCT FROM b.kernel AND v.bb = b.bb
    GROUP BY v.run_id, v.launch
  ),

  kinds AS (
    SELECT
      e.run_id, e.launch, e.marks, e.members,
      len(e.members) AS blocks,
      list_sum(list_transform(e.members, lambda m: m.threads)) AS threads,
      list_sum(list_transform(e.members, lambda m: m.sync_consistency)) AS sync_consistency,
      len(list_filter(e.members, lambda m: m.sync_consistency IS NOT NULL)) AS sync_blocks,
      thread_similarity(e.threads, e.bbs, e.weights, NOT e.counted, 'euclidean') AS s
    FROM _block_elements AS e
  ),

  -- means over the thread blocks of a launch
  similarity AS (
    SELECT
      run_id, launch,
      CAST(sum(blocks) AS BIGINT) AS blocks,
      CAST(sum(threads) AS BIGINT) AS threads,
      len(list_distinct(flatten(list(marks)))) AS distinct_vectors,
      -- Thread blocks of one thread have no picture; where one is too large there is no mean.
      CASE WHEN count(s) = count(*)
        THEN sum(s.fluctuation * blocks) / sum(blocks) FILTER (s.fluctuation IS NOT NULL)
      END AS fluctuation,
      sum(s.mean_distance * blocks) / sum(blocks) FILTER (s.mean_distance IS NOT NULL)
        AS mean_distance,
      sum(s.brightness * blocks) / sum(blocks) FILTER (s.brightness IS NOT NULL) AS brightness,
      sum(sync_consistency) / nullif(sum(sync_blocks), 0) AS sync_consistency
    FROM kinds
    GROUP BY run_id, launch
  ),

  keys AS (
    SELECT run_id, launch FROM bb_launches
    UNION
    SELECT run_id, launch FROM bb_visits
  ),

  launches AS (
    SELECT
      run_id, launch,
      any_value(kernel) AS kernel,
      any_value(granularity) AS granularity,
      max(warp_size) AS warp_size,
      max(instructions / nullif(warp_size * warp_instructions, 0)) AS simt_efficiency
    FROM bb_launches
    GROUP BY run_id, launch
  ),

  warps AS (
    SELECT
      run_id, launch,
      CASE WHEN count(instructions) = count(*)
        THEN sum(instructions) / nullif(sum(warp_instructions), 0) END AS lanes
    FROM _warp_sums
    GROUP BY run_id, launch
  ),

  thresholds AS (
    SELECT
      any_value(threshold) FILTER (rate = 'fluctuation') AS fluctuation,
      any_value(threshold) FILTER (rate = 'sync_rate') AS sync_rate,
      1 - any_value(threshold) FILTER (rate = 'idle_lanes') AS simt_efficiency
    FROM behaviour_thresholds
  ),

  figures AS (
    SELECT
      k.run_id, k.launch,
      coalesce(l.kernel, v.kernel) AS kernel,
      coalesce(l.granularity, 'thread') AS granularity,
      v.* EXCLUDE (run_id, launch, kernel),
      -- A few threads without a number make every figure on threads wrong.
      CASE WHEN v.threads_known THEN s.threads END AS threads,
      CASE WHEN v.threads_known AND v.blocks_known THEN s.blocks END AS blocks,
      CASE WHEN v.threads_known THEN nullif(s.distinct_vectors, 0) END AS distinct_vectors,
      CASE WHEN v.threads_known THEN s.fluctuation END AS fluctuation,
      CASE WHEN v.threads_known THEN s.mean_distance END AS mean_distance,
      CASE WHEN v.threads_known THEN s.brightness END AS brightness,
      CASE WHEN v.threads_known THEN s.sync_consistency END AS sync_consistency,
      coalesce(l.simt_efficiency, w.lanes / nullif(l.warp_size, 0)) AS simt_efficiency,
      l.simt_efficiency IS NULL AND w.lanes / nullif(l.warp_size, 0) IS NOT NULL AS simt_is_bound
    FROM keys AS k
    LEFT JOIN launches AS l ON k.run_id = l.run_id AND k.launch = l.launch
    LEFT JOIN sums AS v ON k.run_id = v.run_id AND k.launch = v.launch
    LEFT JOIN similarity AS s ON k.run_id = s.run_id AND k.launch = s.launch
    LEFT JOIN warps AS w ON k.run_id = w.run_id AND k.launch = w.launch
  )

SELECT
  f.run_id, f.launch, f.kernel, f.granularity, f.threads, f.blocks, f.basic_blocks, f.visits,
  f.barriers,
  f.barriers / nullif(f.visits, 0) AS sync_rate,
  f.fluctuation, f.simt_efficiency, f.simt_is_bound, f.distinct_vectors, f.mean_distance,
  f.brightness, f.sync_consistency,
  -- Threads that are in no thread block, as those of a CPU program, have no branches in common.
  CASE WHEN f.blocks_known THEN f.fluctuation > t.fluctuation END AS divergent,
  f.barriers / nullif(f.visits, 0) > t.sync_rate AS synchronising,
  t.fluctuation AS fluctuation_threshold,
  t.sync_rate AS sync_threshold,
  t.simt_efficiency AS simt_threshold,
  CASE
    WHEN NOT f.blocks_known THEN NULL
    WHEN f.fluctuation > t.fluctuation AND f.simt_efficiency > t.simt_efficiency THEN
      'neighbouring threads differ, yet warps keep most of their lanes busy: the differences are '
      || 'small, or between warps; divergence costs little here'
    WHEN f.fluctuation <= t.fluctuation AND f.simt_efficiency <= t.simt_efficiency THEN
      'few neighbouring threads differ, yet warps leave many of their lanes idle: a few threads of '
      || 'each warp work on while the others wait, or warps are not full'
    WHEN f.fluctuation <= t.fluctuation AND f.simt_efficiency > t.simt_efficiency
      AND f.brightness > 0.25 THEN
      'threads are far apart, yet warps keep most of their lanes busy: whole warps take different '
      || 'ways, and no warp has to take several'
  END AS contradiction,
  CASE
    WHEN f.visits IS NULL AND f.basic_blocks IS NULL THEN
      'no visits of basic blocks are recorded: the behaviour of threads is unknown'
    WHEN NOT f.threads_known THEN
      'the trace records warps, not threads: their similarity is unknown'
    WHEN f.visits IS NULL AND f.distinct_vectors IS NULL THEN
      'neither visits nor instructions of basic blocks are known'
    WHEN f.visits IS NULL THEN
      'visits are not known, only instructions: threads are compared by shares of instructions'
    WHEN NOT f.blocks_known THEN
      'threads are in no thread block: no branch divergence, see thread_distances'
    WHEN f.fluctuation IS NULL AND f.threads = f.blocks THEN
      'a thread block has one thread: there are no pairs to compare'
    WHEN f.fluctuation IS NULL THEN 'a thread block is too large for a matrix'
    WHEN t.fluctuation IS NULL THEN 'no threshold: see behaviour_thresholds'
    WHEN f.barriers IS NULL THEN 'barriers are not known: synchronisation is unknown'
  END AS note
FROM figures AS f
CROSS JOIN thresholds AS t;

COMMENT ON VIEW thread_behaviour IS 'One row is one launch with the verdict on its threads: prominent branch divergence, synchronisation, both, neither; NULL where unknown, with the reason in note.';
COMMENT ON COLUMN thread_behaviour.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN thread_behaviour.launch IS 'Launch within the run, from 0; a CPU program is launch 0.';
COMMENT ON COLUMN thread_behaviour.kernel IS 'Kernel; NULL for a CPU program.';
COMMENT ON COLUMN thread_behaviour.granularity IS 'What the trace distinguishes: threads or only warps (thread or warp).';
COMMENT ON COLUMN thread_behaviour.threads IS 'Threads that executed anything; NULL where threads are not known.';
COMMENT ON COLUMN thread_behaviour.blocks IS 'Thread blocks; NULL where threads are in none, as those of a CPU program.';
COMMENT ON COLUMN thread_behaviour.basic_blocks IS 'Basic blocks that any thread visited.';
COMMENT ON COLUMN thread_behaviour.visits IS 'Visits of basic blocks, over all threads; NULL where only instructions are known.';
COMMENT ON COLUMN thread_behaviour.barriers IS 'Executed barrier instructions, over all threads; NULL where barriers of a visited block are not known.';
COMMENT ON COLUMN thread_behaviour.sync_rate IS 'Synchronisation rate: barriers over visits. May pass 1.';
COMMENT ON COLUMN thread_behaviour.fluctuation IS 'Fluctuation rate, 0..1: share of horizontally neighbouring pixels of the picture (Euclidean distances over the largest, or over a tenth of the longest vector where that is more) that differ by more than 0.05; mean over thread blocks.';
COMMENT ON COLUMN thread_behaviour.simt_efficiency IS 'Thread instructions over warp size x warp instructions, 0..1.';
COMMENT ON COLUMN thread_behaviour.simt_is_bound IS 'The trace has no warp instructions: simt_efficiency comes from the vectors and is an upper bound.';
COMMENT ON COLUMN thread_behaviour.distinct_vectors IS 'Different basic-block vectors among all threads.';
COMMENT ON COLUMN thread_behaviour.mean_distance IS 'Mean Euclidean distance between two threads of a thread block, in visits (shares of instructions where visits is NULL); mean over thread blocks.';
COMMENT ON COLUMN thread_behaviour.brightness IS 'Mean brightness of a pair of threads in the picture, 0..1; mean over thread blocks.';
COMMENT ON COLUMN thread_behaviour.sync_consistency IS 'Share of pairs of threads of a thread block that executed the same barriers equally often; mean over thread blocks.';
COMMENT ON COLUMN thread_behaviour.divergent IS 'Branch divergence is prominent: fluctuation is over its threshold. See contradiction.';
COMMENT ON COLUMN thread_behaviour.synchronising IS 'Synchronisation is prominent: sync_rate is over its threshold.';
COMMENT ON COLUMN thread_behaviour.fluctuation_threshold IS 'Threshold of fluctuation (behaviour_thresholds).';
COMMENT ON COLUMN thread_behaviour.sync_threshold IS 'Threshold of sync_rate.';
COMMENT ON COLUMN thread_behaviour.simt_threshold IS 'SIMT efficiency below which divergence is expected.';
COMMENT ON COLUMN thread_behaviour.contradiction IS 'How fluctuation rate, distances and SIMT efficiency contradict each other; NULL where they agree.';
COMMENT ON COLUMN thread_behaviour.note IS 'Why a figure or verdict is missing, or what it is based on; NULL where there is nothing to note.';
