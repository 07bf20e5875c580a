-- Idle intervals that end with a task, what that task waited for, and how it came.

-- A worker is free from the end of all tasks that started before. Where tasks do not overlap, that
-- is the end of the one before; the running maximum costs three times as much.
CREATE TEMP TABLE _idle_gap AS
WITH
  task AS MATERIALIZED (
    FROM _idle_task
  ),

  crowded AS (
    SELECT DISTINCT w FROM task WHERE before > t_start
  ),

  turn AS (
    SELECT k, w, task, t_submit, t_start, before AS free_from
    FROM task
    ANTI JOIN crowded USING (w)
    UNION ALL
    SELECT
      k, w, task, t_submit, t_start,
      max(t_end) OVER (
        PARTITION BY w ORDER BY t_start, task ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      )
    FROM task
    SEMI JOIN crowded USING (w)
  )

SELECT
  _idle_worker.r, turn.k, turn.w, turn.task, turn.t_submit, _idle_worker.x,
  turn.free_from IS NULL AS is_first,
  greatest(turn.free_from, _idle_window.t_begin) AS a,
  turn.t_start AS b
FROM turn
JOIN _idle_window ON turn.w = _idle_window.w
JOIN _idle_worker ON turn.w = _idle_worker.w
WHERE turn.t_start > greatest(turn.free_from, _idle_window.t_begin);

-- Hops of data between nodes.
CREATE TEMP VIEW _idle_hop AS
SELECT
  _idle_run.r, t.data, sender.x AS from_x, receiver.x AS to_x,
  t.t_send - coalesce(sender.ahead, 0) AS t_send, t.t_recv - receiver.ahead AS t_recv
FROM transfers AS t
JOIN _idle_run USING (run_id)
JOIN _idle_node AS receiver ON _idle_run.r = receiver.r AND t.to_node = receiver.node
LEFT JOIN _idle_node AS sender ON _idle_run.r = sender.r AND t.from_node = sender.node;

-- Inputs of those tasks, without what a task makes itself, each with every hop of it to the task's
-- node where it was made elsewhere. Data that only inputs speak of have no d.
CREATE TEMP TABLE _idle_need AS
WITH
  input AS MATERIALIZED (
    SELECT task_inputs.rowid AS n, r, task, data FROM task_inputs JOIN _idle_run USING (run_id)
  ),

  gap AS MATERIALIZED (
    SELECT rowid AS i, r, k, task, x FROM _idle_gap
  ),

  datum AS MATERIALIZED (
    SELECT rowid AS d, r, data, k, home, c FROM _idle_datum
  ),

  hop AS MATERIALIZED (
    FROM _idle_hop
  )

SELECT
  input.n, gap.i, datum.d, datum.c,
  datum.home <> gap.x AS far,
  hop.from_x <> gap.x AND hop.from_x IS DISTINCT FROM datum.home AS onward,
  hop.from_x, hop.t_send, hop.t_recv
FROM input
JOIN gap ON input.r = gap.r AND input.task = gap.task
LEFT JOIN datum ON input.r = datum.r AND input.data = datum.data
LEFT JOIN hop
  ON input.r = hop.r AND input.data = hop.data
  AND CASE WHEN datum.home IS DISTINCT FROM gap.x THEN gap.x END = hop.to_x
WHERE datum.k IS DISTINCT FROM gap.k;

-- Of several hops of a datum to a node, the one that was there first counts. Numbers of nodes are
-- in the order of their names.
DELETE FROM _idle_need
WHERE rowid IN (
  SELECT need.rowid
  FROM _idle_need AS need
  SEMI JOIN (
    SELECT n FROM _idle_need WHERE t_recv IS NOT NULL GROUP BY n HAVING count(*) > 1
  ) USING (n)
  QUALIFY row_number() OVER (
    PARTITION BY n
    ORDER BY t_recv, coalesce(t_send, t_recv), from_x NULLS FIRST, t_send IS NULL
  ) > 1
);

-- Hops into the nodes on the way, filled where there are any.
CREATE TEMP TABLE _idle_detour (i BIGINT, c BIGINT, t_send BIGINT, t_recv BIGINT);

-- The last input of each interval to be made; of equally late ones, that with the smallest id. The
-- numbers of data say nothing of their ids, so ties are found by the smallest and largest number.
CREATE TEMP TABLE _idle_last AS
WITH
  need AS MATERIALIZED (
    SELECT i, d, c, far, t_send, t_recv FROM _idle_need
  ),

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
    FROM need
    GROUP BY i
  ),

  tied AS (
    SELECT even.i, arg_min(even.d, datum.data) AS d
    FROM _idle_datum AS datum
    JOIN (
      SELECT need.i, need.d
      FROM need
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
