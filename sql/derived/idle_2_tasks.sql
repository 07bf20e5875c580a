-- Tasks; before: the end of the task that started before on the same worker.
WITH
  timed AS MATERIALIZED (
    SELECT
      tasks.rowid AS k, r, w, task, tasks.t_start - ahead AS t_start, tasks.t_end - ahead AS t_end,
      t_submit - ahead AS t_submit
    FROM tasks
    JOIN _idle_run USING (run_id)
    LEFT JOIN _idle_worker USING (r, worker)
  )

SELECT *, lag(t_end) OVER (PARTITION BY w ORDER BY t_start, task) AS before
FROM timed;
