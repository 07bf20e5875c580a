-- Workers $first to $last of one run, in the order of their lanes, which count from 1.
SELECT lane, worker, node
FROM _worker_lanes
WHERE run_id = $run_id AND lane BETWEEN $first AND $last
ORDER BY lane;
