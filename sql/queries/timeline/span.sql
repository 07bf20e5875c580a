-- First and last moment of the workers of one run, ns after clock correction, the number of
-- workers, and the number of tasks and idle intervals that overlap [$t0, $t1) (NULL: no bound).
WITH
  clock AS (
    SELECT w.worker, max(n.clock_offset_ns) AS ahead
    FROM workers AS w
    JOIN nodes AS n ON w.run_id = n.run_id AND w.node = n.node
    WHERE w.run_id = $run_id
    GROUP BY w.worker
  ),

  times (worker, p, q) AS (
    SELECT worker, t_start, t_end FROM idle_intervals WHERE run_id = $run_id
    UNION ALL
    SELECT t.worker, t.t_start - coalesce(c.ahead, 0), t.t_end - coalesce(c.ahead, 0)
    FROM tasks AS t
    LEFT JOIN clock AS c ON t.worker = c.worker
    WHERE t.run_id = $run_id
  )

SELECT
  min(p) AS t_begin, max(q) AS t_end, count(DISTINCT worker) AS workers,
  count(*) FILTER (q > coalesce($t0, q - 1) AND p < coalesce($t1, p + 1)) AS pieces
FROM times;
