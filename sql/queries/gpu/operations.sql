-- What the devices of a run computed and moved, the longest first.
SELECT
  device, part.operation AS operation, part.ns / 1e9 AS seconds,
  part.ns / nullif(sum(part.ns) OVER (PARTITION BY device), 0) AS share
FROM _gpu_sums
CROSS JOIN unnest(operations) AS o (part)
WHERE run_id = $run_id AND stream IS NULL AND NOT is_step
ORDER BY device, seconds DESC, operation;
