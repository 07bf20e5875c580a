-- requires: workers
--
-- Life cycle of tasks: submitted, inputs ready, running, done, and the time between; and that of data:
-- made, sent, received, consumed.

CREATE OR REPLACE VIEW task_lifecycle AS -- One row is one run of one task: when it was submitted, its inputs were ready, it ran and was done.
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
      t.run_id,
      t.task, -- Task.
      t.worker, -- Worker that ran it.
      t.name, -- Type of task.
      t.t_submit, -- When the program asked for it, ns after clock correction; NULL where not recorded.
      CASE
        WHEN t.t_ready IS NOT NULL THEN greatest(t.t_submit, t.t_ready)
        WHEN NOT coalesce(m.is_unknown, r.run_id IS NULL) THEN greatest(t.t_submit, m.t_made)
      END AS t_ready, -- When it was submitted and all its inputs had been made (they may still have to travel), ns; NULL where unknown, as in traces that record no inputs at all. In others a task without inputs is ready when it is submitted.
      t.t_start, -- When it began to run, ns.
      t.t_end -- When it was done, ns.
    FROM _task_times AS t
    LEFT JOIN made AS m ON t.run_id = m.run_id AND t.task = m.task
    LEFT JOIN recorded AS r ON t.run_id = r.run_id
  )

SELECT
  *,
  CASE WHEN t_ready <= t_start THEN t_ready - t_submit END AS wait_for_inputs_ns, -- From its submission until its inputs were ready, ns; NULL where either is unknown, or where the trace has it run before.
  CASE WHEN t_ready <= t_start THEN t_start - t_ready END AS wait_to_run_ns, -- From then until it ran, ns: inputs in transit, no free worker, or the runtime.
  t_end - t_start AS run_ns -- How long it ran, ns.
FROM moments;

CREATE OR REPLACE VIEW task_lifecycle_by_type AS -- One row is one type of task of a run: where the time of its tasks went from submission to end.
SELECT
  *,
  100 * wait_for_inputs_ns / nullif(wait_for_inputs_ns + wait_to_run_ns + run_ns, 0)
    AS wait_for_inputs_percent, -- Share of the three, %.
  100 * wait_to_run_ns / nullif(wait_for_inputs_ns + wait_to_run_ns + run_ns, 0)
    AS wait_to_run_percent, -- Share of the three, %.
  100 * run_ns / nullif(wait_for_inputs_ns + wait_to_run_ns + run_ns, 0) AS run_percent -- Share of the three, %.
FROM _lifecycle_sums;

COMMENT ON COLUMN task_lifecycle_by_type.name IS 'Type of task; NULL where unknown.';
COMMENT ON COLUMN task_lifecycle_by_type.tasks IS 'Tasks.';
COMMENT ON COLUMN task_lifecycle_by_type.known_tasks IS 'Those whose submission and inputs are known; only these are summed.';
COMMENT ON COLUMN task_lifecycle_by_type.wait_for_inputs_ns IS 'Waiting for inputs to be made, ns.';
COMMENT ON COLUMN task_lifecycle_by_type.wait_to_run_ns IS 'Ready, but not running, ns.';
COMMENT ON COLUMN task_lifecycle_by_type.run_ns IS 'Running, ns.';

CREATE OR REPLACE VIEW data_lifecycle AS -- One row is a datum and a task that reads it (one row without a task where none does): when it was made, sent to the node of that task, received and consumed.
WITH
  reading AS (
    SELECT DISTINCT run_id, data, task, t_arrived, is_sent FROM task_inputs
  ),

  moments AS (
    SELECT
      d.run_id,
      d.data, -- Datum.
      d.producer, -- Task that made it; NULL where it was there from the start, or that is unknown.
      d.home AS from_node, -- Node where it was made.
      r.task AS reader, -- Task that reads it; NULL: no task does.
      t.node AS to_node, -- Node of that task.
      d.t_made, -- When it existed, ns after clock correction; NULL where not recorded.
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
  CASE WHEN t_made <= t_sent THEN t_sent - t_made END AS wait_to_send_ns, -- From made to sent, ns; NULL where either is unknown, or where the trace has them the other way round.
  CASE WHEN t_sent <= t_received THEN t_received - t_sent END AS transit_ns, -- From sent to received, ns; likewise.
  CASE
    WHEN t_received <= t_consumed THEN t_consumed - t_received
    WHEN t_received IS NULL AND from_node = to_node AND t_made <= t_consumed
      THEN t_consumed - t_made
  END AS wait_to_consume_ns -- From received, or made on the same node, until the reader began, ns: for other inputs, a free worker, or the runtime.
FROM moments;

COMMENT ON COLUMN data_lifecycle.t_sent IS 'When it was first sent to the node of the reader, ns; NULL where it was made there, or not recorded.';
COMMENT ON COLUMN data_lifecycle.t_received IS 'When it was first there, ns; likewise.';
COMMENT ON COLUMN data_lifecycle.t_consumed IS 'When the reader began, ns.';
