-- Steps of the devices of a run, in their order.
SELECT device, step, code, window_seconds, busy_seconds
FROM gpu_activity_by
WHERE run_id = $run_id AND step IS NOT NULL
ORDER BY device, t_begin;
