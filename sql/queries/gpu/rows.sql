-- Devices of a run, their streams, and the threads that launched their work, as they are drawn.
SELECT lane, worker
FROM _gpu_rows
WHERE run_id = $run_id AND lane < $most
ORDER BY lane;
