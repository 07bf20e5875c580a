-- The parts of the critical path of one run: lane of the worker (from 1), t_start and t_end (ns).
SELECT l.lane, p.t_start, p.t_end, p.cause
FROM critical_path($run_id) AS p
JOIN _worker_lanes AS l ON p.worker = l.worker
WHERE l.run_id = $run_id AND p.t_end > p.t_start
ORDER BY p.t_start;
