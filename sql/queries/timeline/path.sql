-- The parts of the critical path of one run: lane of the worker (from 1), t_start and t_end (ns).
SELECT l.lane, p.t_start, p.t_end, p.cause
FROM critical_paths AS p
JOIN _worker_lanes AS l ON p.run_id = l.run_id AND p.worker = l.worker
WHERE p.run_id = $run_id AND l.run_id = $run_id
ORDER BY p.t_start;
