-- requires: workers
--
-- The critical path: the chain of tasks and waits that determines a run's end, and what it consists
-- of.
--
-- A task begins when the last of what it needs is there: its inputs, its worker, its submission. The
-- path goes on with what came last. What follows it is overhead if the trace tells that nothing else
-- was needed, else unknown, and then the path goes on with the task that ended last on any worker.

-- least() skips NULL.
CREATE OR REPLACE MACRO _at_most(t, most) AS CASE WHEN t IS NOT NULL THEN least(t, most) END;

-- The input of each task of a run that ended a wait which was there last: who made it and when, when it
-- was sent and when it was there, on one clock.
CREATE OR REPLACE MACRO _last_inputs(run) AS TABLE
WITH
  reader AS (
    SELECT i.task, w.node, w.ahead
    FROM idle_intervals AS i
    JOIN _worker_clocks AS w ON i.run_id = w.run_id AND i.worker = w.worker
    WHERE i.run_id = run AND w.run_id = run AND i.kind <> 'tail'
  ),

  known AS (
    SELECT
      i.task, d.data, d.producer, d.t_made,
      CASE WHEN i.is_sent THEN d.t_made ELSE hop.t_sent END AS sent,
      greatest(
        d.t_made, CASE WHEN i.is_sent THEN i.t_arrived - reader.ahead ELSE hop.t_there END
      ) AS t_there
    FROM (SELECT DISTINCT task, data, t_arrived, is_sent FROM task_inputs WHERE run_id = run) AS i
    JOIN reader ON i.task = reader.task
    JOIN (FROM _data_times WHERE run_id = run) AS d ON i.data = d.data
    LEFT JOIN (FROM _data_hops WHERE run_id = run) AS hop
      ON d.data = hop.data AND CASE WHEN d.home IS DISTINCT FROM reader.node THEN reader.node END
        = hop.to_node
    WHERE d.t_made IS NOT NULL AND d.producer IS DISTINCT FROM i.task
  )

SELECT
  task, unnest(max_by(
    {
      'producer': producer, 't_made': t_made, 't_sent': greatest(t_made, _at_most(sent, t_there)),
      't_there': t_there
    },
    (t_there, t_made, data)
  ))
FROM known
GROUP BY task;

-- The path is found by doubling: after k rounds each task has the 2^k-th one before it on its
-- own path, and the tasks found on the run's path double too.
CREATE OR REPLACE MACRO critical_path(run) AS TABLE
WITH RECURSIVE
  task AS MATERIALIZED (
    SELECT
      row_number() OVER (ORDER BY worker, t_start, task) AS n, worker, task, name, t_submit, t_start,
      t_end
    FROM _task_times
    WHERE run_id = run
  ),

  -- the task that occupied the worker last
  turn AS (
    SELECT
      n,
      arg_max(n, t_end) OVER (
        PARTITION BY worker ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS earlier
    FROM task
  ),

  ended AS (
    SELECT t_end, max(n) AS n FROM task WHERE t_start < t_end GROUP BY t_end
  ),

  -- what was met last before each task: met, at the moment t_met
  constraint_met AS MATERIALIZED (
    SELECT
      task.n, task.t_start, turn.earlier, i.t_start AS idle_from, maker.n AS maker,
      coalesce(i.is_recorded, true) AS is_recorded,
      _at_most(input.t_made, task.t_start) AS made, _at_most(input.t_sent, task.t_start) AS sent,
      _at_most(input.t_there, task.t_start) AS there, _at_most(task.t_submit, task.t_start) AS asked,
      CASE
        WHEN i.t_start IS NULL THEN 'worker'
        WHEN there > i.t_start AND there >= coalesce(asked, there) THEN 'input'
        WHEN asked > i.t_start THEN 'submission'
        ELSE 'worker'
      END AS met,
      CASE met
        WHEN 'input' THEN there
        WHEN 'submission' THEN asked
        ELSE coalesce(i.t_start, task.t_start)
      END AS t_met
    FROM task
    JOIN turn ON task.n = turn.n
    LEFT JOIN (FROM idle_intervals WHERE run_id = run AND kind <> 'tail') AS i
      ON task.task = i.task AND task.worker = i.worker
    LEFT JOIN _last_inputs(run) AS input ON i.task = input.task
    LEFT JOIN task AS maker ON input.producer = maker.task AND maker.t_start < task.t_start
  ),

  -- next: the task that the path goes on with, left at the moment leaves. Between these moments are
  -- the parts of the wait: up to t_from, and from gap_from on
  edge AS MATERIALIZED (
    SELECT
      c.*, NOT c.is_recorded AND last.t_end > c.t_met AND last.n IS DISTINCT FROM c.earlier AS jumps,
      jumps OR c.met = 'submission' AND asking.n IS NOT NULL AS is_assumed,
      CASE WHEN jumps THEN last.t_end ELSE c.t_met END AS gap_from,
      CASE
        WHEN jumps THEN last.n
        WHEN c.met = 'input' AND c.maker IS NOT NULL THEN c.maker
        WHEN c.met = 'submission' AND asking.n IS NOT NULL THEN asking.n
        ELSE c.earlier
      END AS next,
      CASE
        WHEN jumps THEN last.t_end
        WHEN c.met = 'input' AND c.maker IS NOT NULL THEN c.made
        WHEN c.met = 'submission' AND asking.n IS NOT NULL THEN asking.t_end
        ELSE coalesce(c.idle_from, c.t_start)
      END AS leaves
    FROM constraint_met AS c
    ASOF LEFT JOIN ended AS last ON c.t_start >= last.t_end
    ASOF LEFT JOIN ended AS asking ON c.asked >= asking.t_end
  ),

  walk (n, next, is_on_path, round) AS (
    SELECT n, next, n = (SELECT arg_min(n, (-t_end, task)) FROM task), 0
    FROM edge
    UNION ALL
    SELECT walk.n, further.next, walk.is_on_path OR reached.n IS NOT NULL, walk.round + 1
    FROM walk
    LEFT JOIN walk AS further ON walk.next = further.n
    LEFT JOIN (SELECT DISTINCT next AS n FROM walk WHERE is_on_path) AS reached
      ON walk.n = reached.n
    WHERE walk.round < 40 AND EXISTS (SELECT 1 FROM walk WHERE next IS NOT NULL)
  ),

  -- until: when the path reaches a task, from its end
  path AS (
    SELECT
      task.worker, task.task, task.name, task.t_end, edge.*,
      coalesce(max(later.leaves), any_value(task.t_end)) AS until
    FROM (SELECT DISTINCT n FROM walk WHERE is_on_path) AS found
    JOIN task ON found.n = task.n
    JOIN edge ON found.n = edge.n
    LEFT JOIN (
      FROM edge WHERE n IN (SELECT n FROM walk WHERE is_on_path)
    ) AS later ON found.n = later.next
    GROUP BY ALL
  ),

  -- from when on the path waits for the last input, made by then
  awaited AS (
    SELECT *, if(maker IS NULL, greatest(made, idle_from), made) AS since
    FROM path
    WHERE met = 'input' AND NOT jumps
  ),

  -- before the last input was sent, others were in transit
  flight (n, worker, task, name, since, p, q) AS (
    SELECT n, worker, task, name, since, sent, greatest(since, sent) FROM awaited
    UNION ALL
    SELECT
      a.n, a.worker, a.task, a.name, a.since, greatest(l.t_start, a.since), least(l.t_end, a.sent)
    FROM awaited AS a
    JOIN (FROM idle_latency WHERE run_id = run) AS l
      ON a.worker = l.worker AND l.t_start < a.sent AND l.t_end > a.since
  ),

  part (t_start, t_end, worker, task, name, cause, is_assumed) AS (
    SELECT t_start, least(t_end, until), worker, task, name, 'compute', false FROM path
    UNION ALL
    SELECT t_end, until, worker, task, name, 'starvation', false FROM path
    UNION ALL
    SELECT
      gap_from, t_start, worker, task, name, if(is_recorded, 'overhead', 'unknown'), jumps
    FROM path
    UNION ALL
    SELECT greatest(sent, since), there, worker, task, name, 'latency', false FROM awaited
    UNION ALL
    SELECT p, q, worker, task, name, 'latency', false FROM flight
    UNION ALL
    SELECT
      lag(q, 1, since) OVER (PARTITION BY n ORDER BY p, q), p, worker, task, name, 'overhead', false
    FROM flight
    UNION ALL
    SELECT idle_from, made, worker, task, name, 'starvation', false FROM awaited WHERE maker IS NULL
    UNION ALL
    SELECT leaves, asked, worker, task, name, 'submission', is_assumed
    FROM path
    WHERE met = 'submission' AND NOT jumps
  )

SELECT
  row_number() OVER (ORDER BY t_end DESC, t_start DESC, cause) AS step, *, t_end - t_start AS ns
FROM part
WHERE t_end > t_start;

COMMENT ON MACRO TABLE critical_path IS 'One row is a part of the chain that determines the end of `run`, from the end backwards: step, t_start and t_end (ns), worker, task and name (its type), cause (compute: the task ran; latency: its last input was in transit; overhead: all that it needed was there; submission: the program had not asked for it; starvation: for data without a known producer; unknown: the trace does not tell what it waited for), is_assumed (before it the path goes on with the task that ended last on any worker, as nothing else is known) and ns, its length.';

CREATE OR REPLACE MACRO critical_path_shares(run) AS TABLE
SELECT
  name, cause, count(*) AS parts, CAST(sum(ns) AS BIGINT) AS ns,
  100 * sum(ns) / sum(sum(ns)) OVER () AS percent
FROM critical_path(run)
GROUP BY name, cause;

COMMENT ON MACRO TABLE critical_path_shares IS 'One row is a type of task and a cause (compute, latency, overhead, starvation) on the critical path of `run`: its parts, their time in ns, and their share of the path in per cent.';
