-- Inputs of the tasks that end idle intervals, without what a task makes itself, each with every
-- hop of it to the task's node where it was made elsewhere. Data that are found only in inputs have
-- no d; unlisted: nothing shows when the datum was made, because the trace lists neither. drawn: an
-- arrow leads to it that says nothing of what happened between its ends; one that says that something
-- was sent is the hop. (In this order of joins the planner hashes the data and the intervals, not
-- their inputs.)
WITH
  input AS MATERIALIZED (
    SELECT task_inputs.rowid AS n, r, task, data, t_arrived, is_sent FROM task_inputs JOIN _idle_run USING (run_id)
  ),

  hop AS MATERIALIZED (
    FROM _idle_hop
  )

SELECT
  input.n, gap.i, datum.d, datum.c,
  coalesce(datum.home <> gap.x, false) AS far,
  coalesce(hop.from_x <> gap.x AND hop.from_x IS DISTINCT FROM datum.home, false) AS onward,
  hop.from_x,
  CASE WHEN input.is_sent THEN datum.c ELSE hop.t_send END AS t_send,
  CASE WHEN input.is_sent THEN input.t_arrived - gap.ahead ELSE hop.t_recv END AS t_recv,
  datum.d IS NULL OR (datum.c IS NULL AND datum.producer IS NOT NULL) AS unlisted,
  coalesce(NOT input.is_sent, false) AS drawn
FROM input
LEFT JOIN _idle_datum AS datum ON input.r = datum.r AND input.data = datum.data
JOIN _idle_gap AS gap ON input.r = gap.r AND input.task = gap.task
LEFT JOIN hop
  ON input.r = hop.r AND input.data = hop.data
  AND CASE WHEN datum.home IS DISTINCT FROM gap.x AND input.is_sent IS NOT true THEN gap.x END
    = hop.to_x
WHERE datum.k IS DISTINCT FROM gap.k;
