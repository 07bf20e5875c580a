-- requires: similarity
--
-- Threads of a launch grouped by behaviour.
--
-- Threads with equal vectors are taken together. The 2048 commonest vectors are grouped; where a
-- launch has more, the threads of the rest are in group NULL.

-- One row is a vector of a launch; the 2048 commonest have a number. A view, because a condition on
-- the run does not pass through a CTE that is used twice.
CREATE OR REPLACE VIEW _common_vectors AS
WITH
  vectors AS (
    SELECT
      run_id, launch, mark,
      count(*) AS threads,
      bool_and(counted) AS counted,
      min({'block': block, 'thread': thread}) AS sample
    FROM _thread_marks
    GROUP BY run_id, launch, mark
  ),

  ranked AS (
    SELECT
      run_id, launch, mark, threads, sample,
      bool_and(counted) OVER (PARTITION BY run_id, launch) AS counted,
      row_number() OVER (PARTITION BY run_id, launch ORDER BY threads DESC, sample) AS rank
    FROM vectors
  )

SELECT
  run_id, launch, counted, threads,
  CASE WHEN rank <= 2048 THEN mark END AS mark,
  CASE WHEN rank <= 2048 THEN rank END AS vector,
  sample
FROM ranked;

CREATE OR REPLACE VIEW thread_groups AS -- One row is a group of threads of a launch that behave alike, with a representative thread. No two vectors of a group are further apart than a quarter of the largest distance in the launch.
WITH
  launched AS (
    SELECT run_id, launch, any_value(kernel) AS kernel
    FROM bb_launches
    GROUP BY run_id, launch
  ),

  -- for launches that no row of bb_launches describes
  visited AS (
    SELECT run_id, launch, any_value(kernel) AS kernel
    FROM bb_visits
    GROUP BY run_id, launch
  ),

  groups AS (
    SELECT
      run_id, launch, behaviour_group,
      CAST(sum(threads) AS BIGINT) AS threads,
      count(*) AS distinct_vectors,
      any_value(sample) FILTER (representative) AS sample,
      max(distance) AS radius
    FROM _vector_groups
    GROUP BY run_id, launch, behaviour_group
  )

SELECT
  g.run_id, g.launch, coalesce(l.kernel, v.kernel) AS kernel,
  g.behaviour_group, -- Number of the group within its launch, from 1, the largest first; NULL for threads whose vectors are rarer than the 2048 commonest.
  g.threads, -- Threads of the group.
  g.threads / sum(g.threads) OVER (PARTITION BY g.run_id, g.launch) AS share, -- threads over all threads of the launch, 0..1.
  g.distinct_vectors, -- Different basic-block vectors among them.
  g.sample.block AS block, -- Thread block of the representative: the thread with the smallest sum of distances to the group; NULL for CPU threads.
  g.sample.thread AS thread, -- The representative.
  g.radius -- Largest Euclidean distance of a thread of the group from the representative, in visits (shares of instructions where visits are not known).
FROM groups AS g
LEFT JOIN launched AS l ON g.run_id = l.run_id AND g.launch = l.launch
LEFT JOIN visited AS v ON g.run_id = v.run_id AND g.launch = v.launch;

CREATE OR REPLACE VIEW thread_group_members AS -- One row is one thread and the group it belongs to.
SELECT t.run_id, t.launch,
  t.block, -- Thread block, linear in the grid; NULL for CPU threads.
  t.thread, -- Thread, linear in its thread block.
  g.behaviour_group, -- Group (thread_groups.behaviour_group).
  g.distance -- Euclidean distance from the representative of the group.
FROM _thread_marks AS t
LEFT JOIN _vector_groups AS g ON t.run_id = g.run_id AND t.launch = g.launch AND t.mark = g.mark;
