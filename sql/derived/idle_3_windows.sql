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
