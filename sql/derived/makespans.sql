-- The makespans of those runs with tasks of which {runs} is the condition, in seconds: from the
-- first submission (or start) to the last end on one clock. NULL where no time passed, and where the
-- clocks of nodes are proven to be apart by more than a hundredth of it: it is wrong by as much.

WITH
  moments AS (
    SELECT
      run_id, worker, least(min(t_submit), min(t_start)) AS first_moment, max(t_end) AS last_end
    FROM tasks
    WHERE {runs}
    GROUP BY run_id, worker
  ),

  -- in 128 bits, because corrected times that do not fit 64 bits are reported elsewhere
  makespans AS (
    SELECT
      run_id,
      max(CAST(last_end AS HUGEINT) - coalesce(ahead, 0))
        - min(CAST(first_moment AS HUGEINT) - coalesce(ahead, 0)) AS ns
    FROM moments
    LEFT JOIN (
      SELECT run_id, worker, min(node) AS node FROM workers GROUP BY run_id, worker
    ) AS host USING (run_id, worker)
    LEFT JOIN (
      SELECT run_id, node, max(clock_offset_ns) AS ahead FROM nodes GROUP BY run_id, node
    ) AS clock USING (run_id, node)
    GROUP BY run_id
  ),

  apart AS (
    SELECT run_id, max(ns) AS ns FROM _clocks_apart WHERE {runs} GROUP BY run_id
  )

SELECT
  m.run_id, CASE WHEN m.ns > 0 AND 100 * coalesce(a.ns, 0) <= m.ns THEN m.ns / 1e9 END AS seconds
FROM makespans AS m
LEFT JOIN apart AS a ON m.run_id = a.run_id;
