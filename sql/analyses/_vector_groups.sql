-- key: run_id VARCHAR
-- scope: run_id
-- reads: bb_visits, bb_launches, bb_blocks
-- requires: run_contents, behaviour_groups
-- functions: groups, block_vectors, blas
--
-- Threads of a launch grouped by behaviour: one row is a vector of a launch and its group.
-- One row is one of these vectors and its group.

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND (rows['bb_visits'] > 0);

-- rows
WITH
  elements AS (
    SELECT
      c.run_id, c.launch,
      any_value(c.counted) AS counted,
      list(c.vector) AS vectors,
      list(v.bb) AS bbs,
      list(CASE WHEN c.counted THEN v.visits ELSE v.instructions END) AS weights,
      list(c.threads) AS times
    FROM _common_vectors AS c
    JOIN bb_visits AS v
      ON c.run_id = v.run_id AND c.launch = v.launch
      AND c.sample.block IS NOT DISTINCT FROM v.block AND c.sample.thread = v.thread
    WHERE c.vector IS NOT NULL
    GROUP BY c.run_id, c.launch
  ),

  members AS (
    SELECT
      run_id, launch,
      unnest(thread_grouping(vectors, bbs, weights, times, NOT counted)) AS m
    FROM elements
  )

SELECT
  c.run_id, c.launch, c.mark, c.threads, c.sample, m.behaviour_group, m.distance, m.representative
FROM _common_vectors AS c
LEFT JOIN members
  ON c.run_id = members.run_id AND c.launch = members.launch AND c.vector = m.vector;
