-- Idle intervals that end with a task, what that task waited for, and how it came.
--
-- Rows of an open transaction have no statistics: the planner takes every table for empty. So no
-- query here leaves it two large tables to join by the run alone.

-- A worker is free from the end of all tasks that started before. Where tasks do not overlap, that
-- is the end of the one before; the running maximum costs three times as much.
CREATE TEMP TABLE _idle_gap AS
WITH
  crowded AS (
    SELECT DISTINCT w FROM _idle_task WHERE before > t_start
  ),

  turn AS (
    SELECT w, task, t_submit, t_start, before AS free_from
    FROM _idle_task
    ANTI JOIN crowded USING (w)
    UNION ALL
    SELECT
      w, task, t_submit, t_start,
      max(t_end) OVER (
        PARTITION BY w ORDER BY t_start, task ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      )
    FROM _idle_task
    SEMI JOIN crowded USING (w)
  )

SELECT
  _idle_worker.r, turn.w, turn.task, turn.t_submit, _idle_worker.node AS x,
  turn.free_from IS NULL AS is_first,
  greatest(turn.free_from, _idle_window.t_begin) AS a,
  turn.t_start AS b
FROM turn
JOIN _idle_window ON turn.w = _idle_window.w
JOIN _idle_worker ON turn.w = _idle_worker.w
WHERE turn.t_start > greatest(turn.free_from, _idle_window.t_begin);

-- Inputs of those tasks, without what a task makes itself, each with every transfer of it to the
-- task's node where it was made elsewhere. Data that only inputs speak of have no d.
CREATE TEMP TABLE _idle_need AS
SELECT
  n.rowid AS n, gap.rowid AS i, datum.rowid AS d, datum.c,
  datum.home <> gap.x AS far,
  t.from_node <> gap.x AND t.from_node IS DISTINCT FROM datum.home AS onward,
  t.from_node,
  t.t_send - coalesce(sender.ahead, 0) AS t_send,
  t.t_recv - coalesce(receiver.ahead, 0) AS t_recv
FROM (SELECT task_inputs.rowid, r, task, data FROM task_inputs JOIN _idle_run USING (run_id)) AS n
JOIN _idle_gap AS gap ON n.r = gap.r AND n.task = gap.task
LEFT JOIN _idle_datum AS datum ON n.r = datum.r AND n.data = datum.data
LEFT JOIN (
  SELECT r, data, from_node, to_node, t_send, t_recv
  FROM transfers
  JOIN _idle_run USING (run_id)
) AS t
  ON n.r = t.r AND n.data = t.data
  AND CASE WHEN datum.home IS DISTINCT FROM gap.x THEN gap.x END = t.to_node
LEFT JOIN _idle_node AS sender ON t.r = sender.r AND t.from_node = sender.node
LEFT JOIN _idle_node AS receiver ON t.r = receiver.r AND t.to_node = receiver.node
WHERE datum.producer IS DISTINCT FROM gap.task;

-- Of several transfers of a datum to a node, the one that was there first counts.
DELETE FROM _idle_need
WHERE rowid IN (
  SELECT need.rowid
  FROM _idle_need AS need
  SEMI JOIN (
    SELECT n FROM _idle_need WHERE t_recv IS NOT NULL GROUP BY n HAVING count(*) > 1
  ) USING (n)
  QUALIFY row_number() OVER (
    PARTITION BY n
    ORDER BY t_recv, coalesce(t_send, t_recv), coalesce(from_node, ''), t_send IS NULL
  ) > 1
);

-- Transfers into the nodes on the way, where a datum came by more than one hop.
CREATE TEMP TABLE _idle_detour AS
WITH RECURSIVE
  last_hop AS (
    SELECT need.i, need.c, need.r, need.x, task_inputs.data, need.from_node
    FROM task_inputs
    JOIN (
      SELECT need.i, need.n, need.c, need.from_node, gap.r, gap.x
      FROM _idle_gap AS gap
      JOIN (FROM _idle_need WHERE onward) AS need ON gap.rowid = need.i
    ) AS need ON task_inputs.rowid = need.n
  ),

  hop AS (
    SELECT
      _idle_run.r, t.data, t.to_node, t.from_node,
      t.t_send - coalesce(sender.ahead, 0) AS t_send,
      t.t_recv - coalesce(receiver.ahead, 0) AS t_recv
    FROM transfers AS t
    JOIN _idle_run USING (run_id)
    SEMI JOIN last_hop ON _idle_run.r = last_hop.r AND t.data = last_hop.data
    LEFT JOIN _idle_node AS sender ON _idle_run.r = sender.r AND t.from_node = sender.node
    LEFT JOIN _idle_node AS receiver ON _idle_run.r = receiver.r AND t.to_node = receiver.node
  ),

  origin AS (
    SELECT r, data, home FROM _idle_datum SEMI JOIN last_hop USING (r, data)
  ),

  leg AS (
    SELECT hop.*, origin.home
    FROM hop
    LEFT JOIN origin ON hop.r = origin.r AND hop.data = origin.data
    QUALIFY row_number() OVER (
      PARTITION BY hop.r, hop.data, hop.to_node
      ORDER BY t_recv, coalesce(t_send, t_recv), coalesce(from_node, ''), t_send IS NULL
    ) = 1
  ),

  route (i, c, r, data, visited, from_node, t_send, t_recv) AS (
    SELECT
      last.i, last.c, last.r, last.data, [last.x, last.from_node],
      leg.from_node, leg.t_send, leg.t_recv
    FROM last_hop AS last
    JOIN leg ON last.r = leg.r AND last.data = leg.data AND last.from_node = leg.to_node
    UNION ALL
    SELECT
      route.i, route.c, route.r, route.data, list_append(route.visited, route.from_node),
      leg.from_node, leg.t_send, leg.t_recv
    FROM route
    JOIN leg ON route.r = leg.r AND route.data = leg.data AND route.from_node = leg.to_node
    WHERE route.from_node IS DISTINCT FROM leg.home
      AND NOT list_contains(route.visited, route.from_node)
  )

SELECT i, c, t_send, t_recv FROM route;

-- The last input of each interval to be made; of equally late ones, that with the smallest id. The
-- numbers of data say nothing of their ids, so ties are found by the smallest and largest number.
CREATE TEMP TABLE _idle_last AS
WITH
  told AS (
    SELECT
      i,
      max(c) AS c,
      CAST(max(c) AS HUGEINT) * 4611686018427387904 AS shifted,
      max(CAST(c AS HUGEINT) * 4611686018427387904 - d) AS least,
      max(CAST(c AS HUGEINT) * 4611686018427387904 + d) AS most,
      max(t_recv) AS t_arrival,
      bool_or(far AND t_recv IS NULL) AS is_missing,
      bool_or(t_recv < greatest(t_send, c)) AS is_negative
    FROM _idle_need
    GROUP BY i
  ),

  tied AS (
    SELECT even.i, arg_min(even.d, datum.data) AS d
    FROM _idle_datum AS datum
    JOIN (
      SELECT need.i, need.d
      FROM _idle_need AS need
      JOIN (FROM told WHERE shifted - least <> most - shifted) AS told
        ON need.i = told.i AND need.c = told.c
    ) AS even ON datum.rowid = even.d
    GROUP BY even.i
  )

SELECT
  told.i, told.c, coalesce(tied.d, CAST(told.shifted - told.least AS BIGINT)) AS d,
  told.t_arrival, told.is_missing, told.is_negative
FROM told
LEFT JOIN tied USING (i);
