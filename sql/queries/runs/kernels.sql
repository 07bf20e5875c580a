-- Kernels, copies and fills of the devices of a run, the longest first.
SELECT device, name, operation, operator, calls, seconds, mean_seconds, share
FROM gpu_kernels
WHERE run_id = $run_id
ORDER BY seconds DESC, device, name;
