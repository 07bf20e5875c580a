-- Runs of task runtimes, whose workers can be examined, the latest first.
SELECT run_id, app, version, machine, started_at
FROM runs
WHERE run_id IN (SELECT run_id FROM workers UNION SELECT run_id FROM idle_intervals)
ORDER BY started_at DESC NULLS LAST, run_id
LIMIT 500;
