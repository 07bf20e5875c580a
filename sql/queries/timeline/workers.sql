-- The workers of one run in the order of their lanes, with their times.
FROM _worker_lanes
WHERE run_id = $run_id
ORDER BY lane;
