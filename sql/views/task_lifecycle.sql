-- requires: workers
--
-- Life cycle of tasks: submitted, inputs ready, running, done, and the time between.

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
WITH
  sums AS (
    SELECT
      run_id, name, count(*) AS tasks,
      count(*) FILTER (wait_for_inputs_ns IS NOT NULL) AS known_tasks,
      CAST(sum(wait_for_inputs_ns) AS BIGINT) AS wait_for_inputs_ns,
      CAST(sum(wait_to_run_ns) FILTER (wait_for_inputs_ns IS NOT NULL) AS BIGINT)
        AS wait_to_run_ns,
      CAST(sum(run_ns) FILTER (wait_for_inputs_ns IS NOT NULL) AS BIGINT) AS run_ns
    FROM task_lifecycle
    GROUP BY run_id, name
  )

SELECT
  *,
  100 * wait_for_inputs_ns / nullif(wait_for_inputs_ns + wait_to_run_ns + run_ns, 0)
    AS wait_for_inputs_percent,
  100 * wait_to_run_ns / nullif(wait_for_inputs_ns + wait_to_run_ns + run_ns, 0)
    AS wait_to_run_percent,
  100 * run_ns / nullif(wait_for_inputs_ns + wait_to_run_ns + run_ns, 0) AS run_percent
FROM sums;

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
