-- requires: blocks
--
-- Similarity of the threads of a thread block, by their basic-block vectors.
--
-- A vector counts the visits of each basic block. Where visits are not known, it contains the share
-- of the thread's instructions in each block, so that threads that differ only in length are equal.
-- Equal vectors are found by a mark: the sum of weight x hash of the block, in 128 bits (of the
-- block + 1, as the hash of 0 is 0). Parts of a vector add up to the mark of the whole. Thread
-- blocks whose threads have the same marks in the same order have the same matrix, computed once.
--
-- Columns of the views are qualified: a parameter of a macro would take the place of a bare one.

-- One row is one thread: its sums, and the marks of its two vectors.
CREATE OR REPLACE VIEW _thread_marks AS
SELECT
  v.run_id, v.launch, v.block, v.thread,
  count(v.visits) = count(*) AS counted,
  count(b.barriers) = count(*) AS synchronised,
  sum(CAST(coalesce(v.visits, v.instructions) AS HUGEINT) * hash(CAST(v.bb AS BIGINT) + 1)) AS mark,
  sum(CAST(v.visits * b.barriers AS HUGEINT) * hash(CAST(v.bb AS BIGINT) + 1)) AS sync_mark
FROM bb_visits AS v
LEFT JOIN _bb_described AS b
  ON v.run_id = b.run_id AND v.kernel IS NOT DISTINCT FROM b.kernel AND v.bb = b.bb
WHERE v.thread IS NOT NULL
GROUP BY v.run_id, v.launch, v.block, v.thread;

-- One row is a kind of thread block, with the elements of its sample's vectors. The other columns
-- are added by a second join, so that the elements do not carry them.
CREATE OR REPLACE VIEW _block_elements AS
WITH
  -- one row is one thread block; sync_groups: numbers of threads with equal vectors of barriers
  blocks AS (
    SELECT
      t.run_id, t.launch, t.block,
      count(*) AS threads,
      bool_and(t.counted) AS counted,
      -- not list(... ORDER BY thread), which takes the memory of 2048 threads for each block
      list_transform(
        list_sort(list({'thread': t.thread, 'mark': t.mark})), lambda one: one.mark
      ) AS marks,
      CASE WHEN bool_and(t.counted AND t.synchronised)
        THEN CAST(map_values(histogram(t.sync_mark)) AS DOUBLE[]) END AS sync_groups
    FROM _thread_marks AS t
    GROUP BY t.run_id, t.launch, t.block
  ),

  -- one row is a kind of thread block: those whose threads have the same vectors in the same order;
  -- `sample` is one of them
  kinds AS (
    SELECT
      b.run_id, b.launch, b.counted, b.marks,
      min(b.block) AS sample,
      list(
        {
          'block': b.block,
          'threads': b.threads,
          -- pairs of threads with equal vectors of barriers, over all pairs
          'sync_consistency': (list_dot_product(b.sync_groups, b.sync_groups) - b.threads)
            / nullif(b.threads * (b.threads - 1), 0)
        }
      ) AS members
    FROM blocks AS b
    GROUP BY b.run_id, b.launch, b.counted, b.marks
  ),

  elements AS (
    SELECT
      k.run_id, k.launch, k.sample, k.counted,
      list(v.thread) AS threads,
      list(v.bb) AS bbs,
      list(CASE WHEN k.counted THEN v.visits ELSE v.instructions END) AS weights
    FROM kinds AS k
    JOIN bb_visits AS v
      ON k.run_id = v.run_id AND k.launch = v.launch AND k.sample IS NOT DISTINCT FROM v.block
    WHERE v.thread IS NOT NULL
    GROUP BY k.run_id, k.launch, k.sample, k.counted
  )

SELECT
  k.run_id, k.launch, k.counted, k.marks, k.members, e.threads, e.bbs, e.weights
FROM kinds AS k
JOIN elements AS e
  ON k.run_id = e.run_id AND k.launch = e.launch AND k.sample IS NOT DISTINCT FROM e.sample
  AND k.counted = e.counted;

-- The elements of the vectors of one thread block: of visits, or of barriers.
CREATE OR REPLACE MACRO _thread_elements(run, launch, block, vectors) AS TABLE
WITH
  weighing AS (
    SELECT
      CASE WHEN vectors IN ('visits', 'barriers') THEN vectors = 'barriers'
        ELSE error('the vectors can be those of visits or barriers, not ' || vectors) END
        AS of_barriers,
      count(v.visits) = count(*) AS counted
    FROM bb_visits AS v
    WHERE v.run_id = run AND v.launch = launch AND v.block IS NOT DISTINCT FROM block
      AND v.thread IS NOT NULL
  )

SELECT
  list(v.thread) AS threads,
  list(v.bb) AS bbs,
  list(
    CASE
      WHEN w.of_barriers THEN v.visits * b.barriers
      WHEN w.counted THEN v.visits
      ELSE v.instructions
    END
  ) AS weights,
  NOT any_value(w.of_barriers OR w.counted) AS shares
FROM bb_visits AS v
CROSS JOIN weighing AS w
LEFT JOIN _bb_described AS b
  ON v.run_id = b.run_id AND v.kernel IS NOT DISTINCT FROM b.kernel AND v.bb = b.bb
WHERE v.run_id = run AND v.launch = launch AND v.block IS NOT DISTINCT FROM block
  AND v.thread IS NOT NULL;

CREATE OR REPLACE MACRO _known_distance(metric) AS
  CASE WHEN metric IN ('euclidean', 'manhattan') THEN metric
    ELSE error('the metric can be euclidean or manhattan, not ' || metric) END;

CREATE OR REPLACE MACRO _thread_pairs(run, launch, block, metric, vectors) AS TABLE
WITH
  pairs AS (
    SELECT
      unnest(
        thread_matrix(e.threads, e.bbs, e.weights, e.shares, _known_distance(metric)),
        recursive := true
      )
    FROM _thread_elements(run, launch, block, vectors) AS e
  )

SELECT thread_a, thread_b, distance, brightness
FROM pairs;

CREATE OR REPLACE MACRO thread_distances(run, launch, block, metric := 'euclidean') AS TABLE -- One row is an ordered pair of threads of thread block `block` (NULL: the threads of a CPU program) in launch `launch` of `run`: thread_a, thread_b, distance between their basic-block vectors by `metric` (euclidean, or manhattan), and brightness, that distance as a pixel: over the largest one, or over a tenth of the longest vector where that is more. Vectors count visits; where visits are not known they contain shares of instructions.
FROM _thread_pairs(run, launch, block, metric, 'visits');

CREATE OR REPLACE MACRO sync_distances(run, launch, block, metric := 'euclidean') AS TABLE -- As thread_distances, between vectors of barriers: how often a thread executed the barriers of each basic block. No rows where visits or barriers are not known.
FROM _thread_pairs(run, launch, block, metric, 'barriers');

CREATE OR REPLACE MACRO thread_picture(
  run, launch, block, metric := 'euclidean', vectors := 'visits'
) AS TABLE
WITH
  rows AS (
    SELECT
      unnest(
        thread_pixels(e.threads, e.bbs, e.weights, e.shares, _known_distance(metric)),
        recursive := true
      )
    FROM _thread_elements(run, launch, block, vectors) AS e
  )

SELECT thread, pixels
FROM rows;

COMMENT ON MACRO TABLE thread_picture IS 'One row is a row of the picture of a thread block: thread, and pixels, one byte for each thread in ascending order, from 0 (black, equal) to 255: the brightness of thread_distances, or with `vectors := ''barriers''` of sync_distances.';

CREATE OR REPLACE MACRO block_behaviour(run, launch, metric := 'euclidean') AS TABLE -- One row is one thread block of launch `launch` of `run`: block, threads, distinct_vectors, fluctuation (share of horizontally neighbouring pixels of the picture that differ by more than 0.05), mean_distance between two of its threads, max_distance, the mean brightness of a pair, and sync_consistency (share of pairs that met the same barriers equally often). Distances are by `metric`, euclidean or manhattan.
WITH
  kinds AS (
    SELECT
      unnest(e.members) AS member,
      len(list_distinct(e.marks)) AS distinct_vectors,
      thread_similarity(
        e.threads, e.bbs, e.weights, NOT e.counted, _known_distance(metric)
      ) AS s
    FROM _block_elements AS e
    WHERE e.run_id = run AND e.launch = launch
  )

SELECT
  member.block, member.threads, distinct_vectors,
  s.fluctuation, s.mean_distance, s.max_distance, s.brightness,
  member.sync_consistency
FROM kinds;
