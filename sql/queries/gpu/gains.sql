-- What changes would gain on the devices of a run, the most first.
SELECT device, change, window_seconds, gain_seconds, gain_share
FROM gpu_gains
WHERE run_id = $run_id
ORDER BY device, gain_seconds DESC, change;
