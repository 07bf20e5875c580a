-- Runs with segments of instruction streams, the latest first.
SELECT run_id, app, version, machine, started_at
FROM runs
WHERE run_id IN (SELECT run_id FROM segments)
ORDER BY started_at DESC NULLS LAST, run_id
LIMIT 500;
