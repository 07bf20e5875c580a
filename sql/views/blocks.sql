-- Basic blocks: transitions with their probabilities, vectors of threads, sums of launches.

-- What is known of each basic block, once, however many sources describe it.
CREATE OR REPLACE VIEW _bb_described AS
SELECT run_id, kernel, bb, max(size) AS size, max(barriers) AS barriers
FROM bb_blocks
GROUP BY run_id, kernel, bb;

-- Threads of a warp on a device, by its name.
CREATE OR REPLACE MACRO _warp_size_of(device) AS CASE
  WHEN regexp_matches(device, '(?i)nvidia|tesla|geforce|quadro|\brtx\b') THEN 32
  WHEN regexp_matches(device, '(?i)\binstinct\b|\bgfx9|\bMI\d{2,3}\w?\b') THEN 64
END;

-- One row is one launch that the trace describes, or of which the device is known (tag gpu).
CREATE OR REPLACE VIEW _launched AS
WITH
  of_devices AS (
    SELECT run_id, _warp_size_of(tags['gpu']) AS warp_size
    FROM runs
    WHERE _warp_size_of(tags['gpu']) IS NOT NULL
  ),

  launches AS (
    FROM bb_launches
    UNION ALL BY NAME
    SELECT DISTINCT v.run_id, v.launch, v.kernel
    FROM bb_visits AS v
    SEMI JOIN of_devices AS d ON v.run_id = d.run_id
    WHERE v.block IS NOT NULL
  )

SELECT
  l.run_id, l.launch,
  any_value(l.kernel) AS kernel,
  any_value(l.granularity) AS granularity,
  coalesce(max(l.warp_size), any_value(d.warp_size)) AS warp_size,
  CAST(max(coalesce(l.block_size, list_product(l.block_dim))) AS BIGINT) AS block_size,
  CAST(max(list_product(l.grid)) AS BIGINT) AS grid_size,
  max(l.instructions) AS instructions,
  max(l.warp_instructions) AS warp_instructions
FROM launches AS l
LEFT JOIN of_devices AS d ON l.run_id = d.run_id
GROUP BY l.run_id, l.launch;

-- Visits by threads, with the warp, which is the thread's number in its thread block by the size of
-- a warp where the trace has none, and the instructions executed. Where no size of a basic block is
-- known, a visit weighs one.
CREATE OR REPLACE VIEW _thread_visits AS
SELECT
  v.run_id, v.launch, v.kernel, v.block, v.thread, v.bb,
  coalesce(
    v.warp, CASE WHEN v.block IS NOT NULL THEN CAST(v.thread // l.warp_size AS INTEGER) END
  ) AS warp,
  coalesce(v.instructions, v.visits * d.size, CASE WHEN k.is_sized IS NULL THEN v.visits END)
    AS executed,
  v.instructions IS NULL AND k.is_sized IS NULL AS is_weighed_one
FROM bb_visits AS v
LEFT JOIN _launched AS l ON v.run_id = l.run_id AND v.launch = l.launch
LEFT JOIN _bb_described AS d
  ON v.run_id = d.run_id AND v.kernel IS NOT DISTINCT FROM d.kernel AND v.bb = d.bb
LEFT JOIN (
  SELECT run_id, kernel, true AS is_sized FROM bb_blocks WHERE size IS NOT NULL GROUP BY run_id, kernel
) AS k
  ON v.run_id = k.run_id AND v.kernel IS NOT DISTINCT FROM k.kernel
WHERE v.thread IS NOT NULL AND v.interval IS NULL;

-- Share of a launch's threads that are traced; NULL where the launch or its threads are not known.
CREATE OR REPLACE MACRO _traced_share(threads, grid_size, block_size) AS
  CASE WHEN threads <= grid_size * block_size
    THEN threads / nullif(grid_size * block_size, 0) END;

-- SIMT efficiency from the sums of a launch. Sums over some of its threads show nothing of the lanes
-- that are not traced; a launch with more instructions than were traced has sums over all threads.
CREATE OR REPLACE MACRO _simt_of_sums(
  instructions, warp_instructions, warp_size, traced_share, traced_instructions
) AS
  CASE
    WHEN instructions > warp_size * warp_instructions THEN NULL
    WHEN traced_share < 1 AND instructions <= traced_instructions THEN NULL
    ELSE instructions / nullif(warp_size * warp_instructions, 0)
  END;

CREATE OR REPLACE VIEW bb_transitions AS -- One row is one edge of the control-flow graph of a launch, over all its threads.
WITH
  edges AS (
    SELECT run_id, launch, kernel, src, dst, CAST(sum(count) AS BIGINT) AS count
    FROM bb_edges
    GROUP BY ALL
  )

SELECT
  run_id, launch, kernel,
  src, -- Basic block that was left.
  dst, -- Basic block that was visited next.
  count, -- Times dst followed src in a thread.
  count / sum(count) OVER (PARTITION BY run_id, launch, kernel, src) AS probability -- count over all times src was left.
FROM edges;

CREATE OR REPLACE VIEW bb_vectors AS -- One row is the basic-block vector of one thread, over all its intervals; blocks it never entered are left out.
WITH
  sums AS (
    SELECT
      run_id, launch, kernel, block, warp, thread, bb,
      CAST(sum(visits) AS BIGINT) AS visits, CAST(sum(instructions) AS BIGINT) AS instructions
    FROM bb_visits
    GROUP BY ALL
  ),

  -- not list(... ORDER BY bb), which takes the memory of 2048 rows for each thread of 17 or more
  threads AS (
    SELECT
      run_id, launch, kernel, block, warp, thread,
      list_sort(list({'bb': bb, 'visits': visits, 'instructions': instructions})) AS entered
    FROM sums
    GROUP BY ALL
  )

SELECT
  run_id, launch, kernel,
  block, -- Thread block, linear in the grid; NULL for CPU threads.
  warp,
  thread, -- Thread, linear in its thread block.
  list_transform(entered, lambda one: one.bb) AS bbs, -- Basic blocks that the thread entered, ascending.
  list_transform(entered, lambda one: one.visits) AS visits, -- Visits of each of bbs; NULL where only instructions are known.
  list_transform(entered, lambda one: one.instructions) AS instructions -- Instructions executed in each of bbs.
FROM threads;

-- All launches, also those that only bb_visits has.
CREATE OR REPLACE VIEW _launch_keys AS
SELECT run_id, launch FROM bb_launches
UNION
SELECT run_id, launch FROM bb_visits;

CREATE OR REPLACE VIEW launch_summary AS -- One row is one kernel launch, also one that only bb_visits has; a CPU program is launch 0.
WITH
  visits AS (
    SELECT
      v.run_id, v.launch,
      any_value(v.kernel) AS kernel,
      count(DISTINCT (v.block, v.thread)) FILTER (v.thread IS NOT NULL) AS threads,
      count(DISTINCT v.bb) AS blocks_visited,
      CASE WHEN count(v.visits) = count(*) THEN CAST(sum(v.visits) AS BIGINT) END AS visits,
      CASE WHEN count(coalesce(v.instructions, v.visits * b.size)) = count(*)
        THEN CAST(sum(coalesce(v.instructions, v.visits * b.size)) AS BIGINT) END AS instructions,
      CASE WHEN count(v.visits * b.barriers) = count(*)
        THEN CAST(sum(v.visits * b.barriers) AS BIGINT) END AS barriers
    FROM bb_visits AS v
    LEFT JOIN _bb_described AS b
      ON v.run_id = b.run_id AND v.kernel IS NOT DISTINCT FROM b.kernel AND v.bb = b.bb
    GROUP BY v.run_id, v.launch
  )

SELECT
  k.run_id, k.launch, coalesce(l.kernel, v.kernel) AS kernel,
  nullif(v.threads, 0) AS threads, -- Traced threads that executed anything; NULL where threads are not known.
  v.blocks_visited, -- Basic blocks that any thread entered.
  v.visits, -- Visits of basic blocks, over all threads; NULL where only instructions are known.
  coalesce(l.instructions, v.instructions) AS instructions, -- Executed thread instructions: of the launch where the trace states them, else of its traced threads.
  v.barriers, -- Executed barrier instructions, over all threads; NULL where those of a visited block are not known.
  v.barriers / nullif(v.visits, 0) AS sync_rate, -- Executed barrier instructions over visits of basic blocks.
  _simt_of_sums(
    l.instructions, l.warp_instructions, l.warp_size,
    _traced_share(v.threads, l.grid_size, l.block_size), v.instructions
  ) AS simt_efficiency -- Thread instructions over warp size x warp instructions, 0..1; NULL where the trace does not state them or has only some threads: thread_behaviour has the upper bound from vectors.
FROM _launch_keys AS k
LEFT JOIN _launched AS l ON k.run_id = l.run_id AND k.launch = l.launch
LEFT JOIN visits AS v ON k.run_id = v.run_id AND k.launch = v.launch;
