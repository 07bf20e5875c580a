-- What the workers of one run did when, ns after clock correction, by worker and start: tasks, work
-- of the runtime system, and idle intervals named by the largest of their causes.
WITH
  lane AS (
    FROM _worker_lanes
    WHERE run_id = $run_id
  ),

  slice (kind, worker, name, task, t_start, t_end, starvation, latency, overhead) AS (
    SELECT
      'task', t.worker, coalesce(t.name, t.task), t.task, t.t_start - l.ahead, t.t_end - l.ahead,
      NULL, NULL, NULL
    FROM tasks AS t
    JOIN lane AS l ON t.worker = l.worker
    WHERE t.run_id = $run_id
    UNION ALL
    SELECT
      'runtime', r.worker, coalesce(r.state, 'runtime'), NULL, r.t_start - l.ahead,
      r.t_end - l.ahead, NULL, NULL, NULL
    FROM runtime_intervals AS r
    JOIN lane AS l ON r.worker = l.worker
    WHERE r.run_id = $run_id AND r.total_ns IS NULL
    UNION ALL
    SELECT
      'idle', worker,
      CASE
        WHEN kind = 'tail' THEN 'after last task'
        WHEN starvation >= greatest(latency, overhead) THEN 'starvation'
        WHEN latency >= overhead THEN 'latency'
        WHEN is_recorded = false AND 2 * (ov_rest - ov_unsubmitted) > overhead THEN 'not recorded'
        ELSE 'overhead'
      END,
      NULL, t_start, t_end, starvation, latency, overhead
    FROM idle_intervals
    WHERE run_id = $run_id
  )

SELECT
  l.node, s.kind, s.worker, s.name, s.task, s.t_start, s.t_end, s.starvation, s.latency, s.overhead
FROM slice AS s
JOIN lane AS l ON s.worker = l.worker
WHERE s.t_start <= s.t_end
ORDER BY l.lane, s.kind = 'runtime', s.kind = 'idle', s.t_start, s.t_end DESC, s.task;
