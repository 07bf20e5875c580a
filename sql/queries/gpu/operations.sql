-- What the devices of a run computed and moved, the longest first.
SELECT device, operation, sum(calls) AS calls, sum(seconds) AS seconds, sum(share) AS share
FROM gpu_kernels
WHERE run_id = $run_id
GROUP BY device, operation
ORDER BY device, seconds DESC, operation;
