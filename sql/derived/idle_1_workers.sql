-- Nodes, workers, and hops between nodes, of the runs in _idle_run, by number and on one clock.
--
-- Rows of an open transaction have no statistics: the planner assumes that every table is empty. So
-- no query makes it join two large tables by the run alone; small tables are joined with LEFT JOIN,
-- which hashes them and never the large one; and because it would scan tables with one thread, they
-- are first read into MATERIALIZED expressions, which are scanned with all. What is large and made
-- on the way (_idle_task, _idle_datum, _idle_gap) are Arrow tables, which are scanned with all as
-- they are.
--
-- Corrected time = local time - offset of the node whose clock it was taken with.

CREATE TEMP TABLE _idle_node AS
WITH
  named AS (
    SELECT r, node, clock_offset_ns FROM nodes JOIN _idle_run USING (run_id)
    UNION ALL
    SELECT DISTINCT r, node, NULL FROM workers JOIN _idle_run USING (run_id)
    UNION ALL
    SELECT DISTINCT r, node, NULL FROM task_data JOIN _idle_run USING (run_id)
    UNION ALL
    SELECT DISTINCT r, from_node, NULL FROM transfers JOIN _idle_run USING (run_id)
    UNION ALL
    SELECT DISTINCT r, to_node, NULL FROM transfers JOIN _idle_run USING (run_id)
  )

SELECT
  CAST(row_number() OVER (ORDER BY r, node) AS INTEGER) AS x, r, node,
  coalesce(max(clock_offset_ns), 0) AS ahead
FROM named
WHERE node IS NOT NULL
GROUP BY r, node;

-- Workers that are found only in tasks have no node and no window of their own. has_work: the trace has
-- work of the runtime on it.
CREATE TEMP TABLE _idle_worker AS
WITH
  recorded AS (
    SELECT r, worker, node, t_begin, t_end
    FROM workers
    JOIN _idle_run USING (run_id)
    UNION ALL
    SELECT DISTINCT r, worker, NULL, NULL, NULL
    FROM tasks
    JOIN _idle_run USING (run_id)
  ),

  merged AS (
    SELECT r, worker, min(node) AS node, min(t_begin) AS t_begin, max(t_end) AS t_end
    FROM recorded
    GROUP BY r, worker
  )

SELECT
  CAST(row_number() OVER (ORDER BY r, worker) AS INTEGER) AS w,
  r, worker, x, coalesce(ahead, 0) AS ahead,
  t_begin - coalesce(ahead, 0) AS t_begin,
  t_end - coalesce(ahead, 0) AS t_end,
  coalesce(has_work, false) AS has_work
FROM merged
LEFT JOIN _idle_node USING (r, node)
LEFT JOIN (
  SELECT DISTINCT r, worker, true AS has_work FROM runtime_intervals JOIN _idle_run USING (run_id)
) USING (r, worker);

-- Hops of data between nodes.
CREATE TEMP VIEW _idle_hop AS
SELECT
  _idle_run.r, t.data, sender.x AS from_x, receiver.x AS to_x,
  t.t_send - coalesce(sender.ahead, 0) AS t_send, t.t_recv - receiver.ahead AS t_recv
FROM transfers AS t
JOIN _idle_run USING (run_id)
LEFT JOIN _idle_node AS receiver ON _idle_run.r = receiver.r AND t.to_node = receiver.node
LEFT JOIN _idle_node AS sender ON _idle_run.r = sender.r AND t.from_node = sender.node;
