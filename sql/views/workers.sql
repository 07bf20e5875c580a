-- Workers of task runtimes: when they ran tasks, and every interval in which they did not.

-- By how much the clock of each node is ahead, ns; NULL where that is not known.
CREATE OR REPLACE VIEW _node_clocks AS
SELECT run_id, node, max(clock_offset_ns) AS ahead FROM nodes GROUP BY run_id, node;

-- One row for each worker, including those that are found only in tasks. ahead is the clock offset
-- of its node (corrected time = local time - ahead).
CREATE OR REPLACE VIEW _worker_clocks AS
WITH
  recorded AS (
    SELECT run_id, worker, node, t_begin, t_end FROM workers
    UNION ALL
    SELECT DISTINCT run_id, worker, NULL, NULL, NULL FROM tasks
  ),

  merged AS (
    SELECT run_id, worker, min(node) AS node, min(t_begin) AS t_begin, max(t_end) AS t_end
    FROM recorded
    GROUP BY run_id, worker
  )

SELECT
  merged.run_id, merged.worker, merged.node, coalesce(clock.ahead, 0) AS ahead,
  merged.t_begin - coalesce(clock.ahead, 0) AS t_begin, merged.t_end - coalesce(clock.ahead, 0) AS t_end
FROM merged
LEFT JOIN _node_clocks AS clock ON merged.run_id = clock.run_id AND merged.node = clock.node;

-- What each worker is: a stream or copy engine (copy) of a device; a thread that launches work for one
-- (host); a thread of the runtime itself, as a driver or scheduler; a process; or a thread that runs
-- tasks (cpu). is_declared: the trace states when it could work, so that it is there to work.
CREATE OR REPLACE VIEW _worker_kinds AS
WITH
  device AS (
    SELECT run_id, worker, any_value(device) AS device
    FROM workers
    WHERE device IS NOT NULL
    GROUP BY run_id, worker
  ),

  executed AS (
    SELECT run_id, worker, bool_and(kind IN ('copy', 'fill')) AS only_copies
    FROM tasks
    WHERE kind IS NOT NULL
    GROUP BY run_id, worker
  ),

  submitter AS (
    SELECT DISTINCT run_id, submitter AS worker FROM tasks WHERE submitter IS NOT NULL
  )

SELECT
  c.run_id, c.worker,
  CASE
    WHEN d.device IS NOT NULL THEN if(e.only_copies, 'copy', 'stream')
    WHEN s.worker IS NOT NULL THEN 'host'
    WHEN regexp_matches(
      c.worker, '(^|[^a-z])(driver|scheduler|dispatcher|progress|event.?loop|nanny)([^a-z]|$)', 'i'
    ) THEN 'runtime'
    WHEN regexp_matches(c.worker, '^(process|(mpi )?rank)[ _]?\d+$', 'i') THEN 'process'
    ELSE 'cpu'
  END AS kind,
  c.t_begin IS NOT NULL AS is_declared
FROM _worker_clocks AS c
LEFT JOIN device AS d ON c.run_id = d.run_id AND c.worker = d.worker
LEFT JOIN executed AS e ON c.run_id = e.run_id AND c.worker = e.worker
LEFT JOIN submitter AS s ON c.run_id = s.run_id AND c.worker = s.worker;

-- The workers of a run in the order in which they are drawn: by node, then by the numbers in their
-- names. Each with the time between its first and its last task or idle interval, on one clock (NULL:
-- it has none), and how many of both it has.
CREATE OR REPLACE VIEW _worker_lanes AS
WITH
  known AS (
    SELECT
      run_id, worker, 0 AS clocked, min(t_start) AS t_begin, max(t_end) AS t_end, count(*) AS pieces
    FROM idle_intervals
    GROUP BY run_id, worker
    UNION ALL
    SELECT run_id, worker, 1, min(t_start), max(t_end), count(*)
    FROM tasks
    GROUP BY run_id, worker
  ),

  spans AS (
    SELECT
      c.run_id, c.worker, any_value(c.node) AS node, any_value(c.ahead) AS ahead,
      min(k.t_begin - k.clocked * c.ahead) AS t_begin, max(k.t_end - k.clocked * c.ahead) AS t_end,
      CAST(coalesce(sum(k.pieces), 0) AS BIGINT) AS pieces
    FROM _worker_clocks AS c
    LEFT JOIN known AS k ON c.run_id = k.run_id AND c.worker = k.worker
    GROUP BY c.run_id, c.worker
  )

SELECT
  *,
  row_number() OVER (
    PARTITION BY run_id
    ORDER BY
      node,
      list_transform(regexp_extract_all(worker, '\d+'), lambda d: TRY_CAST(d AS HUGEINT)),
      worker
  ) AS lane
FROM spans;

-- Tasks with their worker's node, on one clock.
CREATE OR REPLACE VIEW _task_times AS
SELECT
  t.run_id, t.worker, t.task, t.name, w.node,
  t.t_submit - w.ahead AS t_submit, t.t_ready - w.ahead AS t_ready,
  t.t_start - w.ahead AS t_start, t.t_end - w.ahead AS t_end
FROM tasks AS t
JOIN _worker_clocks AS w ON t.run_id = w.run_id AND t.worker = w.worker;

-- When each datum was made (NULL: unknown), on one clock: t_ready, else its producer's end.
CREATE OR REPLACE VIEW _data_times AS
SELECT
  d.run_id, d.data, d.producer, coalesce(d.node, p.node) AS home, p.task IS NOT NULL AS has_producer,
  coalesce(d.t_ready - coalesce(clock.ahead, 0), p.t_end) AS t_made
FROM task_data AS d
LEFT JOIN _task_times AS p ON d.run_id = p.run_id AND d.producer = p.task
LEFT JOIN _node_clocks AS clock ON d.run_id = clock.run_id AND coalesce(d.node, p.node) = clock.node;

-- When each datum was sent to each node (NULL: unknown) and was there, on one clock.
CREATE OR REPLACE VIEW _data_hops AS
SELECT
  t.run_id, t.data, t.to_node, min(t.t_recv - coalesce(receiver.ahead, 0)) AS t_there,
  min(t.t_send - coalesce(sender.ahead, 0)) AS t_sent
FROM transfers AS t
LEFT JOIN _node_clocks AS receiver ON t.run_id = receiver.run_id AND t.to_node = receiver.node
LEFT JOIN _node_clocks AS sender ON t.run_id = sender.run_id AND t.from_node = sender.node
GROUP BY t.run_id, t.data, t.to_node;

-- Windows of the workers: as recorded, else the program's, widened to cover the worker's own tasks.
CREATE OR REPLACE VIEW _worker_windows AS
WITH
  busy AS (
    SELECT run_id, worker, min(t_start) AS first_start, max(t_end) AS last_end
    FROM tasks
    GROUP BY run_id, worker
  ),

  clocked AS (
    SELECT
      w.run_id, w.worker, w.node, w.t_begin, w.t_end,
      min(b.first_start - w.ahead) OVER program AS first_start,
      b.first_start - w.ahead AS own_begin,
      b.last_end - w.ahead AS own_end,
      max(b.last_end - w.ahead) OVER program AS last_end
    FROM _worker_clocks AS w
    LEFT JOIN busy AS b ON w.run_id = b.run_id AND w.worker = b.worker
    WINDOW program AS (PARTITION BY w.run_id)
  )

SELECT
  run_id, worker, node,
  least(coalesce(t_begin, first_start), own_begin) AS t_begin,
  greatest(coalesce(t_end, last_end), coalesce(t_begin, first_start), own_end) AS t_end
FROM clocked;

CREATE OR REPLACE VIEW worker_idle AS -- One row is one interval in which a worker ran no task.
WITH
  -- its window ends as with a task of no length
  turns AS (
    SELECT run_id, worker, task, t_start, t_end FROM _task_times
    UNION ALL
    SELECT run_id, worker, NULL, t_end, t_end FROM _worker_windows
  ),

  -- a worker is free from the end of all tasks that started before
  freed AS (
    SELECT
      t.*, row_number() OVER earlier = 1 AS is_first,
      greatest(w.t_begin, max(t.t_end) OVER (earlier ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS free_from
    FROM turns AS t
    JOIN _worker_windows AS w ON t.run_id = w.run_id AND t.worker = w.worker
    WINDOW earlier AS (PARTITION BY t.run_id, t.worker ORDER BY t.t_start, t.task NULLS LAST)
  )

SELECT
  run_id, worker, free_from AS t_start,
  t_start AS t_end, -- End, ns after clock correction.
  CASE WHEN task IS NULL THEN 'tail' WHEN is_first THEN 'lead' ELSE 'inner' END AS kind, -- lead (before the worker's first task), inner, or tail (after its last).
  task, -- Task that ended it; NULL for a tail.
  (t_start - free_from) / 1e9 AS seconds -- Length, s.
FROM freed
WHERE t_start > free_from;

CREATE OR REPLACE VIEW worker_summary AS -- One row is one worker of a run: how long it ran tasks and how long it did not.
WITH
  -- in whole nanoseconds: seconds that are rounded leave a remainder of a worker that ran nothing
  idle AS (
    SELECT
      run_id, worker,
      sum(t_end - t_start) FILTER (kind <> 'tail') AS idle,
      sum(t_end - t_start) FILTER (kind = 'tail') AS tail
    FROM worker_idle
    GROUP BY run_id, worker
  ),

  task_counts AS (
    SELECT run_id, worker, count(*) AS tasks
    FROM tasks
    GROUP BY run_id, worker
  )

SELECT
  w.run_id, w.worker, w.node,
  coalesce(c.tasks, 0) AS tasks, -- Tasks it ran.
  (w.t_end - w.t_begin) / 1e9 AS wall_seconds, -- Length of its window, s.
  (w.t_end - w.t_begin - coalesce(i.idle, 0) - coalesce(i.tail, 0)) / 1e9 AS busy_seconds, -- Time in which at least one task ran on it, s.
  coalesce(i.idle, 0) / 1e9 AS idle_seconds, -- Time without a task, before its last task ended, s.
  coalesce(i.tail, 0) / 1e9 AS tail_seconds -- Time after its last task, s.
FROM _worker_windows AS w
LEFT JOIN idle AS i ON w.run_id = i.run_id AND w.worker = i.worker
LEFT JOIN task_counts AS c ON w.run_id = c.run_id AND w.worker = c.worker;
