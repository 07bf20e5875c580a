-- key: run_id VARCHAR
-- scope: run_id
-- reads: behaviour_references, _vector_groups, runs, bb_launches, bb_visits, bb_blocks, bb_edges,
--   bb_opcodes
-- requires: flags, run_contents, thread_behaviour
-- functions: threads, similarity, block_vectors, blas
--
-- Verdicts on the threads of a launch: dominated by branch divergence, by synchronisation, neither.

-- inputs
SELECT
  run_id AS key, run_id AS scope,
  md5(digest || (SELECT coalesce(string_agg(t, ',' ORDER BY rate), '') FROM behaviour_thresholds AS t))
    AS digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND (rows['bb_launches'] > 0 OR rows['bb_visits'] > 0);

-- rows
WITH
  thresholds AS (
    SELECT
      any_value(threshold) FILTER (rate = 'fluctuation') AS fluctuation,
      any_value(threshold) FILTER (rate = 'sync_rate') AS sync_rate,
      any_value(threshold) FILTER (rate = 'idle_lanes') AS idle_lanes
    FROM behaviour_thresholds
  ),

  -- the warps of a launch, of which all lanes are traced, and the three worst of them
  launch_warps AS (
    SELECT
      run_id, launch,
      count(*) AS warps,
      count(*) FILTER (complete) AS complete_warps,
      count(*) FILTER (NOT complete) AS incomplete_warps,
      count(*) FILTER (instructions IS NULL) AS unknown_warps,
      bool_or(is_weighed_one) AS is_weighed_one,
      sum(instructions) FILTER (complete) AS instructions,
      sum(warp_instructions) FILTER (complete) AS warp_instructions,
      -- slots of lanes that have a thread
      sum(lanes * warp_instructions) FILTER (complete) AS slots,
      count(*) FILTER (divergent) AS divergent_warps,
      arg_max(
        {'block': block, 'warp': warp}, {'idle': idle_lanes, 'block': -block, 'warp': -warp}, 3
      ) FILTER (divergent) AS worst_warps
    FROM (
      SELECT
        *,
        idle_lanes / nullif(lanes * warp_instructions, 0) > (SELECT idle_lanes FROM thresholds)
          AS divergent
      FROM _warp_sums
    )
    GROUP BY run_id, launch
  ),

  -- sums over the warps of a thread block in each basic block
  block_warps AS (
    SELECT
      run_id, launch, block, bb,
      sum(warp_instructions) AS executed,
      max(warp_instructions) AS longest,
      bool_and(known) AS known
    FROM _warp_blocks
    GROUP BY run_id, launch, block, bb
  ),

  block_sums AS (
    SELECT
      run_id, launch, block,
      CASE WHEN bool_and(known) THEN sum(executed) END AS executed,
      sum(longest) AS longest
    FROM block_warps
    GROUP BY run_id, launch, block
  ),

  block_sizes AS (
    SELECT run_id, launch, block, count(DISTINCT warp) AS warps
    FROM _thread_visits
    WHERE warp IS NOT NULL
    GROUP BY run_id, launch, block
  ),

  -- of the slots that the warps of a thread block would have as lanes of one, the share that would
  -- idle
  idle_warps AS (
    SELECT
      s.run_id, s.launch,
      CASE WHEN count(s.executed) = count(*)
        THEN 1 - sum(s.executed) / nullif(sum(w.warps * s.longest), 0) END AS idle_warp_share
    FROM block_sums AS s
    JOIN block_sizes AS w
      ON s.run_id = w.run_id AND s.launch = w.launch AND s.block IS NOT DISTINCT FROM w.block
    GROUP BY s.run_id, s.launch
  ),

  -- However threads are put into warps, no more slots idle than if each thread block were one. A
  -- basic block of unknown size counts as one instruction.
  thread_slots AS (
    SELECT
      v.run_id, v.launch, v.block, v.bb,
      sum(coalesce(v.instructions, v.visits * d.size, v.visits)) AS executed,
      max(coalesce(v.instructions, v.visits * d.size, v.visits)) AS longest,
      bool_or(v.warp IS NULL) AS lacks_warps
    FROM bb_visits AS v
    LEFT JOIN _bb_described AS d
      ON v.run_id = d.run_id AND v.kernel IS NOT DISTINCT FROM d.kernel AND v.bb = d.bb
    WHERE v.block IS NOT NULL AND v.thread IS NOT NULL AND v.interval IS NULL
    GROUP BY v.run_id, v.launch, v.block, v.bb
  ),

  thread_blocks AS (
    SELECT run_id, launch, block, count(DISTINCT thread) AS threads
    FROM bb_visits
    WHERE block IS NOT NULL AND thread IS NOT NULL AND interval IS NULL
    GROUP BY run_id, launch, block
  ),

  idle_threads AS (
    SELECT
      s.run_id, s.launch, bool_or(s.lacks_warps) AS lacks_warps,
      CASE WHEN count(s.executed) = count(*)
        THEN 1 - sum(s.executed) / nullif(sum(s.longest * b.threads), 0) END AS most_idle_share
    FROM thread_slots AS s
    JOIN thread_blocks AS b ON s.run_id = b.run_id AND s.launch = b.launch AND s.block = b.block
    GROUP BY s.run_id, s.launch
  ),

  visited AS (
    SELECT
      run_id, launch, kernel, bb,
      CASE WHEN count(visits) = count(*) THEN CAST(sum(visits) AS BIGINT) END AS visits,
      CASE WHEN count(instructions) = count(*)
        THEN CAST(sum(instructions) AS BIGINT) END AS instructions,
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
      CASE WHEN count(v.visits * d.barriers) = count(*)
        THEN CAST(sum(v.visits * d.barriers) AS BIGINT) END AS barriers,
      CASE WHEN count(coalesce(v.instructions, v.visits * d.size)) = count(*)
        THEN CAST(sum(coalesce(v.instructions, v.visits * d.size)) AS BIGINT)
      END AS traced_instructions,
      sum(v.without_thread) = 0 AS threads_known,
      sum(v.without_block) = 0 AS blocks_known
    FROM visited AS v
    LEFT JOIN _bb_described AS d
      ON v.run_id = d.run_id AND v.kernel IS NOT DISTINCT FROM d.kernel AND v.bb = d.bb
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

  joined AS (
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
      coalesce(l.instructions, v.traced_instructions) AS instructions,
      l.instructions AS launch_instructions,
      -- a log in which thread comes after thread shows nothing of what warps executed together
      CASE WHEN l.instructions > l.warp_instructions OR coalesce(s.threads <= s.blocks, true)
        OR l.granularity <> 'thread' THEN l.warp_instructions END AS warp_instructions,
      l.warp_size, l.block_size, l.grid_size,
      w.* EXCLUDE (run_id, launch, instructions, warp_instructions),
      w.instructions AS complete_instructions,
      w.warp_instructions AS complete_warp_instructions,
      i.idle_warp_share,
      CASE WHEN n.lacks_warps OR l.warp_size IS NULL OR l.block_size IS NULL
        THEN n.most_idle_share END AS most_idle_share,
      n.most_idle_share AS unlike_share,
      _traced_share(
        CASE WHEN v.threads_known THEN s.threads END, l.grid_size, l.block_size
      ) AS traced_share
    FROM _launch_keys AS k
    LEFT JOIN _launched AS l ON k.run_id = l.run_id AND k.launch = l.launch
    LEFT JOIN sums AS v ON k.run_id = v.run_id AND k.launch = v.launch
    LEFT JOIN similarity AS s ON k.run_id = s.run_id AND k.launch = s.launch
    LEFT JOIN launch_warps AS w ON k.run_id = w.run_id AND k.launch = w.launch
    LEFT JOIN idle_warps AS i ON k.run_id = i.run_id AND k.launch = i.launch
    LEFT JOIN idle_threads AS n ON k.run_id = n.run_id AND k.launch = n.launch
  ),

  efficiencies AS (
    SELECT
      *,
      _simt_of_sums(
        launch_instructions, warp_instructions, warp_size,
        -- Warps with untraced lanes show it also where the grid is not known.
        CASE WHEN incomplete_warps > 0 THEN least(traced_share, 0.0) ELSE traced_share END,
        traced_instructions
      ) AS exact,
      complete_instructions / nullif(warp_size * complete_warp_instructions, 0) AS bound,
      -- share of lanes that have a thread, in the warps as they execute or as thread blocks fill them
      coalesce(
        slots / nullif(warp_size * complete_warp_instructions, 0),
        block_size / nullif(warp_size * ceil(block_size / warp_size), 0)
      ) AS filled
    FROM joined
  ),

  figures AS (
    SELECT
      *,
      coalesce(exact, bound) AS simt_efficiency,
      exact IS NULL AND bound IS NOT NULL AS simt_is_bound,
      CASE WHEN coalesce(exact, bound) >= filled THEN 0
        ELSE 1 - coalesce(exact, bound) / filled END AS idle_lane_share
    FROM efficiencies
  ),

  judged AS (
    SELECT
      f.*,
      -- Threads that are in no thread block, as those of a CPU program, have no branches in common.
      CASE
        -- Threads that all did the same did not part.
        WHEN f.unlike_share = 0 AND f.traced_share = 1 AND f.threads > f.blocks THEN false
        WHEN f.idle_lane_share IS NOT NULL THEN f.idle_lane_share > t.idle_lanes
        -- However full its warps are, no more lanes idle.
        WHEN 1 - f.exact <= t.idle_lanes THEN false
        -- Neighbours that are traced may belong to different warps.
        WHEN f.traced_share < 1 OR f.incomplete_warps > 0 OR NOT f.blocks_known THEN NULL
        WHEN f.visits = 0 THEN NULL
        WHEN f.most_idle_share <= t.idle_lanes THEN false
        WHEN f.fluctuation > t.fluctuation THEN true
      END AS divergent,
      -- Traced warps that part show it; that none does, only whole thread blocks show.
      CASE
        WHEN f.idle_warp_share > t.idle_lanes THEN true
        WHEN f.incomplete_warps = 0
          AND f.warps = coalesce(f.blocks * ceil(f.block_size / f.warp_size), f.warps)
          THEN f.idle_warp_share > t.idle_lanes
      END AS warps_part
    FROM figures AS f
    CROSS JOIN thresholds AS t
  )

SELECT
  f.run_id, f.launch, f.kernel, f.granularity, f.threads, f.traced_share, f.blocks,
  f.basic_blocks, f.visits, f.instructions, f.traced_instructions, f.barriers,
  f.barriers / nullif(f.visits, 0) AS sync_rate,
  f.barriers / nullif(f.traced_instructions, 0) AS sync_share,
  f.fluctuation, f.simt_efficiency, f.simt_is_bound, f.idle_lane_share, f.idle_warp_share,
  f.complete_warps AS warps,
  CASE WHEN f.complete_warps > 0 THEN f.divergent_warps END AS divergent_warps,
  f.worst_warps,
  f.distinct_vectors, f.mean_distance, f.brightness, f.sync_consistency,
  f.divergent,
  CASE
    WHEN f.divergent AND f.warps_part THEN 'both'
    WHEN f.divergent AND NOT f.warps_part THEN 'lanes'
    WHEN NOT f.divergent AND f.warps_part THEN 'warps'
    WHEN NOT f.divergent AND NOT f.warps_part THEN 'neither'
  END AS kind,
  _is_synchronising(
    f.barriers / nullif(f.visits, 0), t.sync_rate, f.barriers / nullif(f.traced_instructions, 0)
  ) AS synchronising,
  t.fluctuation AS fluctuation_threshold,
  t.sync_rate AS sync_threshold,
  1 - t.idle_lanes AS simt_threshold,
  CASE
    WHEN f.traced_share < 1 THEN NULL
    WHEN NOT f.divergent AND f.fluctuation > t.fluctuation THEN
      _flag('lanes_hardly_wait')
    WHEN f.idle_lane_share IS NOT NULL AND f.divergent AND f.fluctuation <= t.fluctuation THEN
      _flag('lanes_wait')
  END AS contradiction,
  CASE
    WHEN NOT coalesce(f.blocks_known, true) THEN NULL
    WHEN f.exact IS NULL AND f.launch_instructions > f.warp_size * f.warp_instructions THEN
      _flag('more_instructions_than_lanes')
    WHEN f.exact IS NULL AND f.incomplete_warps > 0 THEN
      CASE WHEN f.complete_warps = 0 THEN _flag('no_complete_warp')
        ELSE _flag('complete_warps', MAP {
          'complete': CAST(f.complete_warps AS VARCHAR), 'warps': CAST(f.warps AS VARCHAR)
        }) END
    WHEN f.exact IS NULL AND f.traced_share < 1 AND f.bound IS NOT NULL THEN
      _flag('traced_warps')
    WHEN f.exact IS NULL AND f.bound IS NULL THEN
      CASE
        WHEN f.granularity = 'warp' THEN _flag('warp_instructions_unknown')
        WHEN f.warps IS NULL THEN _flag('warps_unknown')
        WHEN f.warp_size IS NULL THEN _flag('warp_size_unknown')
        WHEN f.complete_warp_instructions = 0 THEN _flag('nothing_executed')
        WHEN f.unknown_warps > 0 THEN _flag('block_instructions_unknown')
        ELSE _flag('block_size_unknown_warps')
      END
    WHEN f.divergent IS NULL AND f.idle_lane_share IS NULL THEN
      _flag('block_size_unknown')
    WHEN f.is_weighed_one AND f.exact IS NULL THEN _flag('visits_weigh_one')
  END AS simt_note,
  CASE
    WHEN f.traced_share < 1 THEN _flag('threads_traced', MAP {
      'traced': format('{:,}', f.threads), 'threads': format('{:,}', f.grid_size * f.block_size),
      'share': printf('%.3g %%', 100 * f.traced_share)
    })
    WHEN f.visits IS NULL AND f.basic_blocks IS NULL THEN
      _flag('no_visits')
    WHEN NOT f.threads_known THEN
      _flag('warps_recorded')
    WHEN f.visits IS NULL AND f.distinct_vectors IS NULL THEN
      _flag('vectors_unknown')
    WHEN f.visits IS NULL THEN
      _flag('visits_unknown')
    WHEN NOT f.blocks_known THEN
      _flag('no_thread_block')
    WHEN f.fluctuation IS NULL AND f.threads = f.blocks THEN
      _flag('one_thread_a_block')
    WHEN f.fluctuation IS NULL THEN _flag('large_thread_block')
    WHEN t.fluctuation IS NULL THEN _flag('no_threshold')
    WHEN f.barriers IS NULL THEN _flag('barriers_unknown')
  END AS note
FROM judged AS f
CROSS JOIN thresholds AS t;
