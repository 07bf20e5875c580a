-- Tasks, workers and data of the runs in _idle_run, by number and on one clock.
-- Corrected time = local time - offset of the node whose clock it was taken with.

CREATE TEMP TABLE _idle_node AS
SELECT r, node, coalesce(max(clock_offset_ns), 0) AS ahead
FROM nodes
JOIN _idle_run USING (run_id)
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
  r, worker, node, coalesce(ahead, 0) AS ahead,
  t_begin - coalesce(ahead, 0) AS t_begin,
  t_end - coalesce(ahead, 0) AS t_end
FROM one
LEFT JOIN _idle_node USING (r, node);

-- before: the end of the task that started before on the same worker
CREATE TEMP TABLE _idle_task AS
WITH
  timed AS (
    SELECT
      r, w, task, tasks.t_start - ahead AS t_start, tasks.t_end - ahead AS t_end,
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
-- end.
CREATE TEMP TABLE _idle_datum AS
SELECT
  d.r, d.data, d.producer, made.w,
  coalesce(d.node, host.node) AS home,
  coalesce(d.t_ready - coalesce(clock.ahead, 0), made.t_end) AS c
FROM (
  SELECT r, data, producer, node, t_ready FROM task_data JOIN _idle_run USING (run_id)
) AS d
LEFT JOIN _idle_task AS made ON d.r = made.r AND d.producer = made.task
LEFT JOIN _idle_worker AS host ON made.w = host.w
LEFT JOIN _idle_node AS clock ON d.r = clock.r AND coalesce(d.node, host.node) = clock.node;
