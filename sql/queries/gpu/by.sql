-- The time of the devices of a run by $by: device, stream or step.
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
  )

SELECT
  device, what AS "by", window_seconds, 100 * busy_seconds / nullif(window_seconds, 0) AS busy_percent,
  100 * copying_seconds / nullif(window_seconds, 0) AS only_copying_percent,
  100 * (
    sync_seconds + copy_seconds + memory_seconds + launch_seconds + operators_seconds
    + python_seconds + unrecorded_seconds
  ) / nullif(window_seconds, 0) AS host_late_percent,
  100 * call_seconds / nullif(window_seconds, 0) AS call_percent,
  100 * device_seconds / nullif(window_seconds, 0) AS launched_percent,
  100 * unknown_seconds / nullif(window_seconds, 0) AS unknown_percent
FROM parts
WHERE run_id = $run_id AND kind = $by
ORDER BY device, t_begin, what;
