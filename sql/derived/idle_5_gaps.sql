-- Idle intervals that end with a task.
--
-- A worker is free from the end of all tasks that started before. Where tasks do not overlap, that
-- is the end of the one before; the running maximum costs three times as much.
WITH
  crowded AS (
    SELECT DISTINCT w FROM _idle_task WHERE before > t_start
  ),

  turn AS (
    SELECT k, w, task, t_submit, t_start, before AS free_from
    FROM _idle_task
    ANTI JOIN crowded USING (w)
    UNION ALL
    SELECT
      k, w, task, t_submit, t_start,
      max(t_end) OVER (
        PARTITION BY w ORDER BY t_start, task ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      )
    FROM _idle_task
    SEMI JOIN crowded USING (w)
  )

SELECT
  _idle_worker.r, turn.k, turn.w, turn.task, turn.t_submit, _idle_worker.x, _idle_worker.ahead, _idle_worker.has_work,
  turn.free_from IS NULL AS is_first,
  greatest(turn.free_from, _idle_window.t_begin) AS a,
  turn.t_start AS b
FROM turn
LEFT JOIN _idle_window ON turn.w = _idle_window.w
LEFT JOIN _idle_worker ON turn.w = _idle_worker.w
WHERE turn.t_start > greatest(turn.free_from, _idle_window.t_begin);
