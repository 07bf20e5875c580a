-- Tasks, workers and data of the runs in _idle_run, by number and on one clock.
--
-- Rows of an open transaction have no statistics: the planner takes every table for empty. So no
-- query leaves it two large tables to join by the run alone; and because it would scan them with
-- one thread, they are first read into MATERIALIZED expressions, which are scanned with all.
--
-- Corrected time = local time - offset of the node whose clock it was taken with.

CREATE TEMP TABLE _idle_node AS
WITH
  named AS (
    SELECT r, node, clock_offset_ns FROM nodes JOIN _idle_run USING (run_id)
    UNION ALL
    SELECT DISTINCT r, node, NULL FROM workers JOIN _idle_run USING (run_id)
    UNION ALL
    SELECT DISTINCT r, node, NULL FROM task_data JOIN _idle_run USING (run_id)
    UNION ALL
    SELECT DISTINCT r, from_node, NULL FROM transfers JOIN _idle_run USING (run_id)
    UNION ALL
    SELECT DISTINCT r, to_node, NULL FROM transfers JOIN _idle_run USING (run_id)
  )

SELECT
  CAST(row_number() OVER (ORDER BY r, node) AS INTEGER) AS x, r, node,
  coalesce(max(clock_offset_ns), 0) AS ahead
FROM named
WHERE node IS NOT NULL
GROUP BY r, node;

-- Workers that only tasks speak of have no node and no window of their own.
CREATE TEMP TABLE _idle_worker AS
WITH
  told AS (
    SELECT r, worker, node, t_begin, t_end
    FROM workers
    JOIN _idle_run USING (run_id)
    UNION ALL
    SELECT DISTINCT r, worker, NULL, NULL, NULL
    FROM tasks
    JOIN _idle_run USING (run_id)
  ),

  one AS (
    SELECT r, worker, min(node) AS node, min(t_begin) AS t_begin, max(t_end) AS t_end
    FROM told
    GROUP BY r, worker
  )

SELECT
  CAST(row_number() OVER (ORDER BY r, worker) AS INTEGER) AS w,
  r, worker, x, coalesce(ahead, 0) AS ahead,
  t_begin - coalesce(ahead, 0) AS t_begin,
  t_end - coalesce(ahead, 0) AS t_end
FROM one
LEFT JOIN _idle_node USING (r, node);

-- before: the end of the task that started before on the same worker
CREATE TEMP TABLE _idle_task AS
WITH
  timed AS MATERIALIZED (
    SELECT
      tasks.rowid AS k, r, w, task, tasks.t_start - ahead AS t_start, tasks.t_end - ahead AS t_end,
      t_submit - ahead AS t_submit
    FROM tasks
    JOIN _idle_run USING (run_id)
    JOIN _idle_worker USING (r, worker)
  )

SELECT *, lag(t_end) OVER (PARTITION BY w ORDER BY t_start, task) AS before
FROM timed;

-- Windows: as recorded, else the program's, widened to cover the worker's own tasks.
CREATE TEMP TABLE _idle_window AS
WITH
  own AS (
    SELECT r, w, min(t_start) AS first_start, max(t_end) AS last_end
    FROM _idle_task
    GROUP BY r, w
  ),

  program AS (
    SELECT r, min(first_start) AS first_start, max(last_end) AS last_end
    FROM own
    GROUP BY r
  )

SELECT
  w, coalesce(t_begin, program.first_start) AS t_begin, coalesce(t_end, program.last_end) AS t_end,
  own.last_end
FROM _idle_worker
LEFT JOIN own USING (w)
LEFT JOIN program ON _idle_worker.r = program.r;

-- A datum's home is its node, else its producer's; it is there at t_ready, else at its producer's
-- end. k is the producer's row in tasks.
CREATE TEMP TABLE _idle_datum AS
WITH
  told AS MATERIALIZED (
    SELECT r, data, producer, node, t_ready
    FROM task_data
    JOIN _idle_run USING (run_id)
  ),

  maker AS MATERIALIZED (
    SELECT r, task, k, w, t_end FROM _idle_task
  )

SELECT
  told.r, told.data, told.producer, maker.k, maker.w,
  coalesce(own.x, host.x) AS home,
  coalesce(told.t_ready - coalesce(clock.ahead, 0), maker.t_end) AS c
FROM told
LEFT JOIN maker ON told.r = maker.r AND told.producer = maker.task
LEFT JOIN _idle_worker AS host ON maker.w = host.w
LEFT JOIN _idle_node AS own ON told.r = own.r AND told.node = own.node
LEFT JOIN _idle_node AS clock ON coalesce(own.x, host.x) = clock.x;
