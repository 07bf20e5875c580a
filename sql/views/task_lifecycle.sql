-- requires: workers
--
-- Life cycle of tasks: submitted, inputs ready, running, done, and the time between; and that of data:
-- made, sent, received, consumed.

CREATE OR REPLACE VIEW task_lifecycle AS
WITH
  -- when the last input had been made; unknown where the making of one is not recorded
  made AS (
    SELECT
      i.run_id, i.task,
      bool_or(d.data IS NULL OR (d.t_made IS NULL AND d.producer IS NOT NULL)) AS is_unknown,
      max(d.t_made) AS t_made
    FROM task_inputs AS i
    LEFT JOIN _data_times AS d ON i.run_id = d.run_id AND i.data = d.data
    WHERE d.producer IS DISTINCT FROM i.task
    GROUP BY i.run_id, i.task
  ),

  -- where no task is known to read anything, what they read is not recorded
  recorded AS (
    SELECT DISTINCT run_id FROM task_inputs
  ),

  moments AS (
    SELECT
      t.run_id, t.task, t.worker, t.name, t.t_submit,
      CASE
        WHEN t.t_ready IS NOT NULL THEN greatest(t.t_submit, t.t_ready)
        WHEN NOT coalesce(m.is_unknown, r.run_id IS NULL) THEN greatest(t.t_submit, m.t_made)
      END AS t_ready,
      t.t_start, t.t_end
    FROM _task_times AS t
    LEFT JOIN made AS m ON t.run_id = m.run_id AND t.task = m.task
    LEFT JOIN recorded AS r ON t.run_id = r.run_id
  )

SELECT
  *,
  CASE WHEN t_ready <= t_start THEN t_ready - t_submit END AS wait_for_inputs_ns,
  CASE WHEN t_ready <= t_start THEN t_start - t_ready END AS wait_to_run_ns,
  t_end - t_start AS run_ns
FROM moments;

COMMENT ON VIEW task_lifecycle IS 'One row is one run of one task: when it was submitted, its inputs were ready, it ran and was done.';
COMMENT ON COLUMN task_lifecycle.task IS 'Task.';
COMMENT ON COLUMN task_lifecycle.worker IS 'Worker that ran it.';
COMMENT ON COLUMN task_lifecycle.name IS 'Type of task.';
COMMENT ON COLUMN task_lifecycle.t_submit IS 'When the program asked for it, ns after clock correction; NULL where not recorded.';
COMMENT ON COLUMN task_lifecycle.t_ready IS 'When it was submitted and all its inputs had been made (they may still have to travel), ns; NULL where unknown, as in traces that record no inputs at all. In others a task without inputs is ready when it is submitted.';
COMMENT ON COLUMN task_lifecycle.t_start IS 'When it began to run, ns.';
COMMENT ON COLUMN task_lifecycle.t_end IS 'When it was done, ns.';
COMMENT ON COLUMN task_lifecycle.wait_for_inputs_ns IS 'From its submission until its inputs were ready, ns; NULL where either is unknown, or where the trace has it run before.';
COMMENT ON COLUMN task_lifecycle.wait_to_run_ns IS 'From then until it ran, ns: inputs in transit, no free worker, or the runtime.';
COMMENT ON COLUMN task_lifecycle.run_ns IS 'How long it ran, ns.';

CREATE OR REPLACE VIEW task_lifecycle_by_type AS
SELECT
  *,
  100 * wait_for_inputs_ns / nullif(wait_for_inputs_ns + wait_to_run_ns + run_ns, 0)
    AS wait_for_inputs_percent,
  100 * wait_to_run_ns / nullif(wait_for_inputs_ns + wait_to_run_ns + run_ns, 0)
    AS wait_to_run_percent,
  100 * run_ns / nullif(wait_for_inputs_ns + wait_to_run_ns + run_ns, 0) AS run_percent
FROM _lifecycle_sums;

COMMENT ON VIEW task_lifecycle_by_type IS 'One row is one type of task of a run: where the time of its tasks went from submission to end.';
COMMENT ON COLUMN task_lifecycle_by_type.name IS 'Type of task; NULL where unknown.';
COMMENT ON COLUMN task_lifecycle_by_type.tasks IS 'Tasks.';
COMMENT ON COLUMN task_lifecycle_by_type.known_tasks IS 'Those whose submission and inputs are known; only these are summed.';
COMMENT ON COLUMN task_lifecycle_by_type.wait_for_inputs_ns IS 'Waiting for inputs to be made, ns.';
COMMENT ON COLUMN task_lifecycle_by_type.wait_to_run_ns IS 'Ready, but not running, ns.';
COMMENT ON COLUMN task_lifecycle_by_type.run_ns IS 'Running, ns.';
COMMENT ON COLUMN task_lifecycle_by_type.wait_for_inputs_percent IS 'Share of the three, %.';
COMMENT ON COLUMN task_lifecycle_by_type.wait_to_run_percent IS 'Share of the three, %.';
COMMENT ON COLUMN task_lifecycle_by_type.run_percent IS 'Share of the three, %.';

CREATE OR REPLACE VIEW data_lifecycle AS
WITH
  reading AS (
    SELECT DISTINCT run_id, data, task, t_arrived, is_sent FROM task_inputs
  ),

  moments AS (
    SELECT
      d.run_id, d.data, d.producer, d.home AS from_node, r.task AS reader, t.node AS to_node,
      d.t_made,
      CASE
        WHEN r.is_sent THEN d.t_made
        WHEN t.node IS DISTINCT FROM d.home THEN h.t_sent
      END AS t_sent,
      CASE
        WHEN r.is_sent THEN r.t_arrived - w.ahead
        WHEN t.node IS DISTINCT FROM d.home THEN h.t_there
      END AS t_received,
      t.t_start AS t_consumed
    FROM _data_times AS d
    LEFT JOIN reading AS r ON d.run_id = r.run_id AND d.data = r.data
    LEFT JOIN _task_times AS t ON r.run_id = t.run_id AND r.task = t.task
    LEFT JOIN _worker_clocks AS w ON t.run_id = w.run_id AND t.worker = w.worker
    LEFT JOIN _data_hops AS h
      ON d.run_id = h.run_id AND d.data = h.data AND t.node = h.to_node
  )

SELECT
  *,
  CASE WHEN t_made <= t_sent THEN t_sent - t_made END AS wait_to_send_ns,
  CASE WHEN t_sent <= t_received THEN t_received - t_sent END AS transit_ns,
  CASE
    WHEN t_received <= t_consumed THEN t_consumed - t_received
    WHEN t_received IS NULL AND from_node = to_node AND t_made <= t_consumed
      THEN t_consumed - t_made
  END AS wait_to_consume_ns
FROM moments;

COMMENT ON VIEW data_lifecycle IS 'One row is a datum and a task that reads it (one row without a task where none does): when it was made, sent to the node of that task, received and consumed.';
COMMENT ON COLUMN data_lifecycle.data IS 'Datum.';
COMMENT ON COLUMN data_lifecycle.producer IS 'Task that made it; NULL where it was there from the start, or that is unknown.';
COMMENT ON COLUMN data_lifecycle.from_node IS 'Node where it was made.';
COMMENT ON COLUMN data_lifecycle.reader IS 'Task that reads it; NULL: no task does.';
COMMENT ON COLUMN data_lifecycle.to_node IS 'Node of that task.';
COMMENT ON COLUMN data_lifecycle.t_made IS 'When it existed, ns after clock correction; NULL where not recorded.';
COMMENT ON COLUMN data_lifecycle.t_sent IS 'When it was first sent to the node of the reader, ns; NULL where it was made there, or not recorded.';
COMMENT ON COLUMN data_lifecycle.t_received IS 'When it was first there, ns; likewise.';
COMMENT ON COLUMN data_lifecycle.t_consumed IS 'When the reader began, ns.';
COMMENT ON COLUMN data_lifecycle.wait_to_send_ns IS 'From made to sent, ns; NULL where either is unknown, or where the trace has them the other way round.';
COMMENT ON COLUMN data_lifecycle.transit_ns IS 'From sent to received, ns; likewise.';
COMMENT ON COLUMN data_lifecycle.wait_to_consume_ns IS 'From received, or made on the same node, until the reader began, ns: for other inputs, a free worker, or the runtime.';
