-- The time of the devices of a run by $by: device, stream, step, or late (what the host did before
-- it launched the next work, the longest first).
WITH
  parts AS (
    SELECT run_id, device, device AS what, 'device' AS kind, * EXCLUDE (run_id, device)
    FROM gpu_activity
    UNION ALL BY NAME
    SELECT
      run_id, device, coalesce(stream, 'step ' || step, 'no step') AS what,
      CASE WHEN stream IS NULL THEN 'step' ELSE 'stream' END AS kind,
      * EXCLUDE (run_id, device, stream, step, code)
    FROM gpu_activity_by
  ),

  late AS (
    SELECT
      device, coalesce(name, doing) AS what, doing, sum(gaps) AS gaps, sum(idle_ns) / 1e9 AS seconds
    FROM gpu_late
    WHERE run_id = $run_id AND $by = 'late'
    GROUP BY device, name, doing
  )

SELECT
  device, what AS "by", window_seconds, 100 * busy_seconds / window_seconds AS busy_percent,
  100 * copying_seconds / window_seconds AS only_copying_percent,
  100 * (
    sync_seconds + copy_seconds + memory_seconds + launch_seconds + operators_seconds
    + python_seconds + unrecorded_seconds
  ) / window_seconds AS host_late_percent,
  100 * call_seconds / window_seconds AS call_percent,
  100 * device_seconds / window_seconds AS launched_percent,
  100 * unknown_seconds / window_seconds AS unknown_percent
FROM parts
WHERE run_id = $run_id AND kind = $by
ORDER BY device, t_begin, what;
