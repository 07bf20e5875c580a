-- The most memory that each device of one run had in use and reserved, bytes, and when, ns.
SELECT
  device, max(allocated_bytes) AS allocated_bytes, arg_max(t, allocated_bytes) AS t,
  max(reserved_bytes) AS reserved_bytes
FROM gpu_memory
WHERE run_id = $run_id AND device IN (SELECT device FROM workers WHERE run_id = $run_id)
GROUP BY device
HAVING allocated_bytes > 0
ORDER BY device;
