-- requires: workers, idle_path
--
-- How much shorter runs could be: bounds that follow from the task graph, and what a replay gains.
--
-- The gains of all runs are stored (idle_gains), as pages and commands show them. Runs with more tasks
-- than are replayed when they land are replayed by the macros. `run` is one, NULL is all.

CREATE OR REPLACE MACRO _is_wanted(run_id, run) AS run IS NULL OR run_id = run;

-- The types of tasks of runs, numbered.
CREATE OR REPLACE MACRO _types_of_tasks(run) AS TABLE
SELECT run_id, name, row_number() OVER (PARTITION BY run_id ORDER BY name) AS type
FROM (SELECT DISTINCT run_id, name FROM tasks WHERE _is_wanted(run_id, run));

-- One row a run of `most` tasks or fewer: these, with a number each, for the replay, ns from the first
-- window's begin. An input is an edge from its producer, or, where none began before, a moment.
CREATE OR REPLACE MACRO _task_graph(run, most) AS TABLE
WITH
  few AS (
    SELECT run_id FROM tasks WHERE _is_wanted(run_id, run) GROUP BY run_id HAVING count(*) <= most
  ),

  place AS MATERIALIZED (
    SELECT
      run_id, worker, row_number() OVER (PARTITION BY run_id ORDER BY worker) - 1 AS w, t_begin,
      min(t_begin) OVER (PARTITION BY run_id) AS t0
    FROM _worker_windows
    SEMI JOIN few USING (run_id)
    WHERE _is_wanted(run_id, run)
  ),

  task AS MATERIALIZED (
    SELECT
      t.run_id, row_number() OVER () AS n, t.task, place.w, place.t0, t.t_start, t.t_end, types.type,
      -- latency and rest of the wait before it, by whether the task had been submitted
      least(i.t_end, greatest(t.t_submit, i.t_start + i.starvation1)) - i.t_start - i.starvation1
        - i.ov_unsubmitted AS early_latency,
      i.latency,
      CASE WHEN i.is_recorded THEN i.ov_rest - i.ov_unsubmitted END AS overhead,
      CASE WHEN NOT i.is_recorded THEN i.ov_rest - i.ov_unsubmitted END AS unknown,
      CASE WHEN t.t_submit IS NOT NULL THEN least(t.t_submit, t.t_start) END AS t_submit
    FROM _task_times AS t
    JOIN place ON t.run_id = place.run_id AND t.worker = place.worker
    LEFT JOIN _types_of_tasks(run) AS types ON t.run_id = types.run_id AND t.name IS NOT DISTINCT FROM types.name
    LEFT JOIN (
      FROM idle_intervals WHERE _is_wanted(run_id, run) AND kind <> 'tail'
    ) AS i
      ON t.run_id = i.run_id AND t.task = i.task AND t.worker = i.worker
    WHERE _is_wanted(t.run_id, run)
  ),

  -- before what is known of the data: DuckDB would join those with the tasks first, each with each
  read AS MATERIALIZED (
    SELECT i.run_id, i.data, t.n, t.t_start, t.t0
    FROM (FROM task_inputs WHERE _is_wanted(run_id, run)) AS i
    JOIN task AS t ON i.run_id = t.run_id AND i.task = t.task
  ),

  need AS MATERIALIZED (
    SELECT
      r.run_id, r.n, maker.n AS producer, least(d.t_made, r.t_start) - r.t0 AS t_made,
      coalesce(maker.t_start < r.t_start, false) AS is_edge
    FROM read AS r
    JOIN (
      FROM _data_times SEMI JOIN few USING (run_id) WHERE _is_wanted(run_id, run) AND t_made IS NOT NULL
    ) AS d
      ON r.run_id = d.run_id AND r.data = d.data
    LEFT JOIN task AS maker ON d.run_id = maker.run_id AND d.producer = maker.task
    WHERE maker.n IS DISTINCT FROM r.n
  ),

  moment AS (
    SELECT run_id, n, max(t_made) AS t_made
    FROM need
    WHERE NOT is_edge
    GROUP BY run_id, n
  ),

  inputs AS (
    SELECT
      run_id, list({'reader': n, 'producer': producer, 't_made': t_made}) AS inputs
    FROM need
    WHERE is_edge
    GROUP BY run_id
  ),

  begins AS (
    SELECT run_id, list(t_begin - t0 ORDER BY w) AS t_begin FROM place GROUP BY run_id
  ),

  tasks AS (
    SELECT
      task.run_id,
      list(
        {
          'n': n, 'worker': w, 't_start': t_start - t0, 't_end': t_end - t0,
          'early_latency': coalesce(early_latency, 0),
          'late_latency': coalesce(latency - early_latency, 0), 'overhead': coalesce(overhead, 0),
          'unknown': coalesce(unknown, 0), 't_submit': greatest(0, t_submit - t0),
          't_ready': greatest(0, moment.t_made), 'type': type
        }
      ) AS tasks
    FROM task
    LEFT JOIN moment USING (run_id, n)
    GROUP BY task.run_id
  )

SELECT run_id, t_begin, tasks, coalesce(inputs, []) AS inputs
FROM tasks
JOIN begins USING (run_id)
LEFT JOIN inputs USING (run_id);

-- Without its latency or overhead the critical path is still a chain of constraints, so a run with
-- the same placement and order cannot gain more. Between the end of a task and when its datum was
-- made the runtime may have been at work. No schedule of the measured durations ends before their
-- longest chain of dependences, nor is shorter than all work spread evenly over the workers, nor than
-- tasks that took turns, which then they still do. What one more worker gains is not what the same workers
-- would with tasks placed anew. Of a chain, half as long, half is gained at most.
CREATE OR REPLACE MACRO _gains(run, most) AS TABLE
WITH
  span AS (
    SELECT
      run_id, min(t_begin) AS t_begin, max(t_end) AS t_end, count(*) AS workers,
      sum(CAST(t_end - t_begin AS HUGEINT)) AS wall
    FROM _worker_windows
    WHERE _is_wanted(run_id, run)
    GROUP BY run_id
  ),

  ran AS (
    SELECT run_id, min(t_start) AS first_start, max(t_end) AS last_end
    FROM _task_times
    WHERE _is_wanted(run_id, run)
    GROUP BY run_id
  ),

  -- idle: of all time; is_known: the trace tells the cause of more than half of the waits
  waits AS (
    SELECT
      run_id, sum(t_end - t_start) AS idle,
      coalesce(
        sum(t_end - t_start) FILTER (kind <> 'tail')
        > 2 * sum(if(is_recorded = false, ov_rest - ov_unsubmitted, 0)) FILTER (kind <> 'tail'),
        true
      ) AS is_known
    FROM idle_intervals
    WHERE _is_wanted(run_id, run)
    GROUP BY run_id
  ),

  path AS (
    SELECT
      p.run_id,
      coalesce(sum(p.ns) FILTER (p.cause = 'latency'), 0) AS latency,
      coalesce(sum(p.ns) FILTER (p.cause = 'overhead'), 0)
        + coalesce(sum(p.ns) FILTER (p.cause = 'starvation' AND p.t_start = t.t_end), 0) AS overhead,
      any_value(p.chain_end) AS chain_end, any_value(p.placed_end) AS placed_end,
      any_value(p.least_end) AS least_end, any_value(p.has_chains) AS has_chains
    FROM (FROM critical_paths WHERE _is_wanted(run_id, run)) AS p
    JOIN _task_times AS t ON p.run_id = t.run_id AND p.task = t.task AND p.worker = t.worker
    GROUP BY p.run_id
  ),

  -- the longest parts of the critical path that can be shorter
  part AS MATERIALIZED (
    SELECT
      s.run_id, s.name, s.cause, s.ns, n.type,
      row_number() OVER (PARTITION BY s.run_id ORDER BY s.ns DESC, s.name, s.cause) AS place
    FROM critical_path_shares AS s
    JOIN _types_of_tasks(run) AS n ON s.run_id = n.run_id AND s.name IS NOT DISTINCT FROM n.name
    WHERE _is_wanted(s.run_id, run) AND s.cause IN ('compute', 'latency', 'overhead')
    QUALIFY place <= 8
  ),

  parts AS (
    SELECT run_id, list({'type': type, 'cause': cause} ORDER BY place) AS parts FROM part GROUP BY run_id
  ),

  replay AS MATERIALIZED (
    SELECT g.run_id, replay_tasks(g.t_begin, g.tasks, g.inputs, coalesce(p.parts, [])) AS found
    FROM _task_graph(run, most) AS g
    LEFT JOIN parts AS p ON g.run_id = p.run_id
  ),

  turns AS (
    SELECT run_id, max(ns) AS ns FROM tasks_in_turn WHERE _is_wanted(run_id, run) GROUP BY run_id
  ),

  -- the trace has something of what causes waits
  with_causes AS (
    SELECT run_id FROM task_inputs WHERE _is_wanted(run_id, run)
    UNION
    SELECT run_id FROM runtime_intervals WHERE _is_wanted(run_id, run)
  ),

  -- by how much the run can end sooner at most: as placed, with its tasks placed anew, and, beyond what
  -- a replay on the same workers takes, on one more
  room AS (
    SELECT
      span.run_id, span.t_end - span.t_begin AS whole, path.latency, path.overhead, path.has_chains, found,
      last_end - greatest(
        chain_end, t_begin + (wall - idle + workers - 1) // workers, t_begin + turns.ns
      ) AS of_run,
      coalesce(is_known, true) AND with_causes.run_id IS NOT NULL AS is_recorded,
      first_start + coalesce(turns.ns, 0) AS turned,
      last_end - greatest(turned, coalesce(placed_end, last_end)) AS of_placement,
      CASE WHEN is_recorded AND found.listed IS NOT NULL
        THEN last_end - least(last_end, greatest(turned, t_begin + found.listed)) END AS replaced,
      last_end - coalesce(replaced, 0) - greatest(turned, coalesce(least_end, last_end)) AS of_one_more
    FROM (
      SELECT span.*, coalesce(waits.idle, 0) AS idle, waits.is_known
      FROM span
      LEFT JOIN waits USING (run_id)
    ) AS span
    JOIN ran USING (run_id)
    LEFT JOIN path USING (run_id)
    LEFT JOIN replay USING (run_id)
    LEFT JOIN turns USING (run_id)
    LEFT JOIN with_causes USING (run_id)
    WHERE span.t_end > span.t_begin
  ),

  -- where the causes of waits are unknown, so is what it would gain to be without one
  gains (run_id, change, name, cause, bound, replayed, is_assumed) AS (
    SELECT
      run_id, 'no latency', NULL, NULL, greatest(0, least(coalesce(latency, 0), of_run)), found.no_latency, false
    FROM room
    WHERE is_recorded
    UNION ALL
    SELECT
      run_id, 'no overhead', NULL, NULL, greatest(0, least(coalesce(overhead, 0), of_run)), found.no_overhead, false
    FROM room
    WHERE is_recorded
    UNION ALL
    SELECT
      run_id, 'other placement', NULL, NULL, greatest(0, of_placement), replaced,
      NOT coalesce(has_chains, false)
    FROM room
    WHERE is_recorded
    UNION ALL
    SELECT
      run_id, 'one more worker', NULL, NULL, greatest(0, of_one_more),
      CASE WHEN is_recorded THEN found.one_more_worker END, NOT coalesce(has_chains, false)
    FROM room
    UNION ALL
    SELECT p.run_id, 'half as long', p.name, p.cause, p.ns // 2, r.found.halved[p.place], false
    FROM part AS p
    JOIN room AS r ON p.run_id = r.run_id
  )

SELECT
  g.run_id, g.change, g.name, g.cause, CAST(g.bound AS BIGINT) AS gain_at_most,
  100 * CAST(gain_at_most AS DOUBLE) / r.whole AS percent,
  -- the replay does not know of turns, nor of what an unknown wait was for
  CASE WHEN g.replayed > gain_at_most THEN gain_at_most ELSE g.replayed END AS replay_gain,
  100 * CAST(replay_gain AS DOUBLE) / r.whole AS replay_percent, r.is_recorded, g.is_assumed
FROM gains AS g
JOIN room AS r ON g.run_id = r.run_id;

CREATE OR REPLACE MACRO idle_what_if(run) AS TABLE
SELECT * EXCLUDE (run_id)
FROM _gains(run, 100_000);

COMMENT ON MACRO TABLE idle_what_if IS 'The rows of idle_gains of `run`, with replays of up to 100 000 tasks. gain_at_most is a bound by the critical path, by the work of all tasks, each after its submission, and by tasks of one type that took turns nearly always, of which never two ran at a time on several workers, as for a lock, or which did so within (without latency or overhead as long as each worker keeps its tasks in their order: a scheduler that places them anew may gain more; with other placement, each task on any worker with its measured latency and overhead; with one more worker beyond what a replay on the same workers takes; of a part half as long: half of its time). replay_gain is what a replay of the tasks with their measured durations gains (tasks without recorded inputs count as independent): without latency or overhead, or with a part half as long, on the same workers in the same order, no task before its submission; with other placement, and one more worker, by list scheduling with the measured latency and overhead of each task. No latency, no overhead and other placement only where the trace tells the causes of waits apart (slo_by_run.reason). NULL: not replayed, because there are more tasks, or (other placement, one more worker) because workers ran several tasks at once, or the trace records neither what tasks read nor work of the runtime.';
