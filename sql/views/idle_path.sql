-- requires: workers
--
-- The critical path: the chain of tasks and waits that determines a run's end, and what it consists
-- of.

-- The path is found by doubling: after k rounds each task has the 2^k-th one before it on its
-- own path, and the tasks found on the run's path double too.
CREATE OR REPLACE MACRO critical_path(run) AS TABLE
WITH RECURSIVE
  task AS MATERIALIZED (
    SELECT
      row_number() OVER (ORDER BY worker, t_start, task) AS n, worker, task, name, t_start, t_end
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

  -- to the producer of the last input where the worker starved for it, else to the task before
  edge AS MATERIALIZED (
    SELECT
      task.n, i.t_end IS NOT NULL AND i.starvation1 > 0 AND producer.n IS NOT NULL AS jumps,
      CASE WHEN jumps THEN producer.n ELSE turn.earlier END AS next,
      CASE WHEN jumps THEN i.t_start + i.starvation1 ELSE coalesce(i.t_start, task.t_start) END
        AS leaves,
      i.t_start AS idle_from, CASE WHEN NOT jumps THEN i.starvation1 END AS starvation,
      i.latency, i.ov_rest AS overhead
    FROM task
    JOIN turn ON task.n = turn.n
    LEFT JOIN (FROM idle_intervals WHERE run_id = run AND kind <> 'tail') AS i
      ON task.task = i.task AND task.worker = i.worker
    LEFT JOIN task AS producer ON i.blamed_task = producer.task
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
      task.*, edge.leaves, edge.idle_from, edge.starvation, edge.latency, edge.overhead,
      coalesce(max(later.leaves), any_value(task.t_end)) AS until
    FROM (SELECT DISTINCT n FROM walk WHERE is_on_path) AS found
    JOIN task ON found.n = task.n
    JOIN edge ON found.n = edge.n
    LEFT JOIN (
      FROM edge WHERE n IN (SELECT n FROM walk WHERE is_on_path)
    ) AS later ON found.n = later.next
    GROUP BY ALL
  ),

  part (t_start, t_end, worker, task, name, cause, ns) AS (
    SELECT t_start, least(t_end, until), worker, task, name, 'compute', least(t_end, until) - t_start
    FROM path
    UNION ALL
    SELECT t_end, until, worker, task, name, 'starvation', until - t_end
    FROM path
    UNION ALL
    SELECT leaves, t_start, worker, task, name, 'latency', latency
    FROM path
    UNION ALL
    SELECT leaves, t_start, worker, task, name, 'overhead', overhead
    FROM path
    UNION ALL
    SELECT idle_from, t_start, worker, task, name, 'starvation', starvation
    FROM path
  )

SELECT row_number() OVER (ORDER BY t_end DESC, t_start DESC, cause) AS step, *
FROM part
WHERE ns > 0;

COMMENT ON MACRO TABLE critical_path IS 'One row is a part of the chain that determines the end of `run`, from the end backwards: step, t_start and t_end (ns), worker, task and name (its type), cause (compute: the task ran; latency, overhead: the worker waited before it; starvation: for data without a known producer) and ns, how much of that time.';

CREATE OR REPLACE MACRO critical_path_shares(run) AS TABLE
SELECT
  name, cause, count(*) AS parts, CAST(sum(ns) AS BIGINT) AS ns,
  100 * sum(ns) / sum(sum(ns)) OVER () AS percent
FROM critical_path(run)
GROUP BY name, cause;

COMMENT ON MACRO TABLE critical_path_shares IS 'One row is a type of task and a cause (compute, latency, overhead, starvation) on the critical path of `run`: its parts, their time in ns, and their share of the path in per cent.';
