-- First and last moment (ns) of the devices of a run, and of each of its steps.
SELECT CAST(NULL AS BIGINT) AS step, min(t_begin) AS t_begin, max(t_end) AS t_end
FROM gpu_activity
WHERE run_id = $run_id
UNION ALL
SELECT step, min(t_begin), max(t_end)
FROM gpu_activity_by
WHERE run_id = $run_id AND step IS NOT NULL
GROUP BY step
ORDER BY step NULLS FIRST;
