-- Idle intervals of workers $first to $last of one run in [$t0, $t1), the $most longest: what task
-- ended each, and which task of which worker it waited for until when. Times are s from $origin.
WITH
  lane AS (
    FROM _worker_lanes WHERE run_id = $run_id
  ),

  wait AS (
    SELECT l.lane, i.*
    FROM idle_intervals AS i
    JOIN lane AS l ON i.worker = l.worker
    WHERE i.run_id = $run_id AND i.kind <> 'tail' AND i.t_end > $t0 AND i.t_start < $t1
      AND l.lane BETWEEN $first AND $last
    ORDER BY i.t_end - i.t_start DESC, i.worker, i.t_start
    LIMIT $most
  ),

  named AS (
    SELECT task FROM wait
    UNION
    SELECT blamed_task FROM wait
  ),

  task AS (
    SELECT task, any_value(coalesce(name, task)) AS type
    FROM tasks
    SEMI JOIN named USING (task)
    WHERE run_id = $run_id
    GROUP BY task
  )

SELECT
  w.lane, (w.t_start - $origin) / 1e9 AS t_start, (w.t_end - $origin) / 1e9 AS t_end,
  w.task, t.type, w.blamed_task, b.type AS blamed_type, w.blamed_worker, v.lane AS blamed_lane,
  (w.t_start + w.starvation1 - $origin) / 1e9 AS blamed_until,
  w.starvation1 / 1e9 AS waited, w.starvation / 1e9 AS starvation, w.latency / 1e9 AS latency,
  w.overhead / 1e9 AS overhead
FROM wait AS w
LEFT JOIN task AS t ON w.task = t.task
LEFT JOIN task AS b ON w.blamed_task = b.task
LEFT JOIN lane AS v ON w.blamed_worker = v.worker
ORDER BY w.lane, t_start;
