-- requires: workers, idle_path
--
-- How much shorter a run could be: bounds that follow from its task graph, and what a replay gains.

-- One row: the tasks of a run in order of their start, if there are `most` at most (NULL: however many),
-- for the replay, ns from the first window's begin. An input is an edge from its producer, or, where no
-- task made it before, a moment.
CREATE OR REPLACE MACRO _task_graph(run, most) AS TABLE
WITH
  place AS (
    SELECT
      worker, row_number() OVER (ORDER BY worker) - 1 AS w, t_begin, min(t_begin) OVER () AS t0
    FROM _worker_windows
    WHERE run_id = run
  ),

  task AS MATERIALIZED (
    SELECT
      row_number() OVER (ORDER BY t.t_start, t.task) - 1 AS n, t.task, place.w, place.t0,
      t.t_start, t.t_end, dense_rank() OVER (ORDER BY t.name) - 1 AS type,
      -- latency and rest of the wait before it, by whether the task had been submitted
      least(i.t_end, greatest(t.t_submit, i.t_start + i.starvation1)) - i.t_start - i.starvation1
        - i.ov_unsubmitted AS early_latency,
      i.latency,
      CASE WHEN i.is_recorded THEN i.ov_rest - i.ov_unsubmitted END AS overhead,
      CASE WHEN NOT i.is_recorded THEN i.ov_rest - i.ov_unsubmitted END AS unknown,
      CASE WHEN t.t_submit IS NOT NULL THEN least(t.t_submit, t.t_start) END AS t_submit
    FROM _task_times AS t
    JOIN place ON t.worker = place.worker
    LEFT JOIN (FROM idle_intervals WHERE run_id = run AND kind <> 'tail') AS i
      ON t.task = i.task AND t.worker = i.worker
    WHERE t.run_id = run
      AND (most IS NULL OR (SELECT count(*) FROM tasks WHERE run_id = run) <= most)
  ),

  need AS MATERIALIZED (
    SELECT
      reader.n, maker.n AS producer, least(d.t_made, reader.t_start) - reader.t0 AS t_made,
      coalesce(maker.n < reader.n, false) AS is_edge
    FROM (FROM task_inputs WHERE run_id = run) AS i
    JOIN (FROM _data_times WHERE run_id = run) AS d ON i.data = d.data
    JOIN task AS reader ON i.task = reader.task
    LEFT JOIN task AS maker ON d.producer = maker.task
    WHERE d.t_made IS NOT NULL AND maker.n IS DISTINCT FROM reader.n
  ),

  moment AS (
    SELECT n, max(t_made) AS t_made
    FROM need
    WHERE NOT is_edge
    GROUP BY n
  ),

  inputs AS (
    SELECT
      coalesce(list({'reader': n, 'producer': producer, 't_made': t_made} ORDER BY n, producer), [])
        AS inputs
    FROM need
    WHERE is_edge
  ),

  tasks AS (
    SELECT
      list(
        {
          'worker': w, 't_start': t_start - t0, 't_end': t_end - t0,
          'early_latency': coalesce(early_latency, 0),
          'late_latency': coalesce(latency - early_latency, 0), 'overhead': coalesce(overhead, 0),
          'unknown': coalesce(unknown, 0), 't_submit': greatest(0, t_submit - t0),
          't_ready': greatest(0, moment.t_made), 'type': type
        }
        ORDER BY n
      ) AS tasks
    FROM task
    LEFT JOIN moment USING (n)
  )

SELECT
  (SELECT list(t_begin - t0 ORDER BY w) FROM place) AS t_begin, tasks.tasks, inputs.inputs
FROM tasks
CROSS JOIN inputs
WHERE tasks.tasks IS NOT NULL;

-- Without its latency or overhead the critical path is still a chain of constraints, so a run with
-- the same placement and order cannot gain more. Between the end of a task and when its datum was
-- made the runtime may have been at work. No schedule of the measured durations is shorter than their
-- longest chain of dependences, nor than all work spread evenly over the workers, nor than tasks that
-- took turns, which then they still do.
CREATE OR REPLACE MACRO idle_what_if(run) AS TABLE
WITH
  span AS (
    SELECT min(t_begin) AS t_begin, max(t_end) AS t_end, count(*) AS workers
    FROM _worker_windows
    WHERE run_id = run
  ),

  ran AS (
    SELECT min(t_start) AS first_start, max(t_end) AS last_end
    FROM _task_times
    WHERE run_id = run
  ),

  busy AS (
    SELECT
      (SELECT sum(CAST(t_end - t_begin AS HUGEINT)) FROM _worker_windows WHERE run_id = run)
        - coalesce((SELECT sum(t_end - t_start) FROM idle_intervals WHERE run_id = run), 0) AS ns
  ),

  path AS MATERIALIZED (
    SELECT
      coalesce(sum(p.ns) FILTER (p.cause = 'latency'), 0) AS latency,
      coalesce(sum(p.ns) FILTER (p.cause = 'overhead'), 0)
        + coalesce(sum(p.ns) FILTER (p.cause = 'starvation' AND p.t_start = t.t_end), 0) AS overhead
    FROM (FROM critical_paths WHERE run_id = run) AS p
    JOIN (FROM _task_times WHERE run_id = run) AS t ON p.task = t.task AND p.worker = t.worker
  ),

  replay AS MATERIALIZED (
    SELECT replay_tasks(t_begin, tasks, inputs) AS found
    FROM _task_graph(run, NULL)
  ),

  -- what remains of the run when the longest chain, or the evenly spread work, is taken away
  room AS (
    SELECT
      span.*,
      greatest(
        0, last_end - t_begin - greatest(found.critical_path, (busy.ns + workers - 1) // workers, in_turn.ns)
      ) AS of_run,
      greatest(
        0,
        last_end - first_start
          - greatest(found.critical_path, (busy.ns + workers) // (workers + 1), in_turn.ns)
      ) AS of_tasks,
      found
    FROM span
    CROSS JOIN ran
    CROSS JOIN busy
    CROSS JOIN (SELECT max(ns) AS ns FROM tasks_in_turn WHERE run_id = run) AS in_turn
    LEFT JOIN replay ON true
  ),

  -- the trace has something of what causes waits, and tells the cause of more than half of them
  recorded AS (
    SELECT
      (
        EXISTS (FROM task_inputs WHERE run_id = run)
        OR EXISTS (FROM runtime_intervals WHERE run_id = run)
      )
      AND coalesce(
        sum(t_end - t_start) > 2 * sum(if(is_recorded = false, ov_rest - ov_unsubmitted, 0)), true
      ) AS is_recorded
    FROM idle_intervals
    WHERE run_id = run AND kind <> 'tail'
  ),

  -- where the causes of waits are unknown, so is what it would gain to be without one
  causes AS (
    SELECT path.* FROM path CROSS JOIN recorded WHERE is_recorded
  ),

  gains (change, bound, replayed) AS (
    SELECT 'no latency', least(latency, of_run), found.no_latency FROM causes, room
    UNION ALL
    SELECT 'no overhead', least(overhead, of_run), found.no_overhead FROM causes, room
    UNION ALL
    SELECT
      'one more worker', of_tasks, CASE WHEN is_recorded THEN found.one_more_worker END
    FROM room
    CROSS JOIN recorded
  )

SELECT
  change,
  CAST(coalesce(bound, 0) AS BIGINT) AS gain_at_most,
  100 * CAST(coalesce(bound, 0) AS DOUBLE) / nullif(t_end - t_begin, 0) AS percent,
  -- the replay does not know of turns, nor of what an unknown wait was for
  CASE WHEN replayed > bound THEN gain_at_most ELSE replayed END AS replay_gain,
  100 * CAST(replay_gain AS DOUBLE) / nullif(t_end - t_begin, 0) AS replay_percent,
  is_recorded
FROM gains
CROSS JOIN room
CROSS JOIN recorded
WHERE workers > 0;

COMMENT ON MACRO TABLE idle_what_if IS 'One row is a change to `run` (no latency, no overhead, one more worker) and how much shorter it can make the run: gain_at_most in ns, a bound by the critical path, by the work of all tasks and by tasks of one type that took turns nearly always, of which never two ran at a time on several workers, as for a lock, or which did so within (without latency or overhead as long as each worker keeps its tasks in their order: a scheduler that places them anew may gain more); percent, of the time from the run''s first to its last moment; replay_gain (ns) and replay_percent, what a replay of the tasks with their measured durations gains (tasks without recorded inputs count as independent): with latency or overhead zero on the same workers in the same order, no task before its submission; with one more worker by list scheduling with the measured latency and overhead of each task. Without latency or overhead only where the trace tells the causes of waits apart (slo_by_run.reason). is_recorded: the trace tells the cause of more than half of the waits. NULL: not replayed, because there are more than 100 000 tasks, or (one more worker) because workers ran several tasks at once, or the trace records neither what tasks read nor work of the runtime.';

-- The parts of a critical path, and what the longest that can be shorter would gain if they were half as
-- long: of a chain, half of it at most.
CREATE OR REPLACE MACRO _path_gains(run) AS TABLE
WITH
  part AS MATERIALIZED (
    SELECT
      name, cause, ns, percent, cause IN ('compute', 'latency', 'overhead') AS can_be_shorter,
      row_number() OVER (PARTITION BY can_be_shorter ORDER BY ns DESC, name, cause) AS place
    FROM critical_path_shares
    WHERE run_id = run
  ),

  chosen AS (
    SELECT
      {'type': list(n.type ORDER BY p.place), 'cause': list(p.cause ORDER BY p.place)} AS parts
    FROM part AS p
    JOIN (
      SELECT DISTINCT name, dense_rank() OVER (ORDER BY name) - 1 AS type
      FROM _task_times
      WHERE run_id = run
    ) AS n ON p.name IS NOT DISTINCT FROM n.name
    WHERE p.can_be_shorter AND p.place <= 8
  ),

  span AS (
    SELECT max(t_end) - min(t_begin) AS ns FROM _worker_windows WHERE run_id = run
  ),

  replayed AS MATERIALIZED (
    SELECT replay_halved(t_begin, tasks, inputs, parts) AS gains
    FROM _task_graph(run, 100_000)
    CROSS JOIN chosen
    WHERE len(parts['type']) > 0
  )

SELECT
  name, cause, p.ns, p.percent,
  CASE WHEN can_be_shorter AND place <= 8 THEN p.ns // 2 END AS gain_at_most,
  100 * CAST(gain_at_most AS DOUBLE) / nullif(span.ns, 0) AS gain_percent,
  CASE WHEN can_be_shorter AND replayed.gains[place] IS NOT NULL
    THEN least(replayed.gains[place], gain_at_most)
  END AS replay_gain,
  100 * CAST(replay_gain AS DOUBLE) / nullif(span.ns, 0) AS replay_percent
FROM part AS p
CROSS JOIN span
LEFT JOIN replayed ON true
ORDER BY p.ns DESC, name, cause;

CREATE OR REPLACE MACRO critical_path_gains(run) AS TABLE
FROM _path_gains(run)
WHERE gain_at_most IS NOT NULL;

COMMENT ON MACRO TABLE critical_path_gains IS 'One row is a type of task (name) and a cause (compute, latency, overhead) on the critical path of `run`, the eight longest: its time on the path in ns and per cent of the path, and what it would gain if it were half as long: gain_at_most (ns) and gain_percent (of the run), half of that time, and replay_gain (ns) and replay_percent, what a replay of all tasks with their workers and order gains; NULL: not replayed, because there are more than 100 000 tasks.';
