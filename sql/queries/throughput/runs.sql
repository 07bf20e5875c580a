-- Runs with segments of instruction streams, the latest first.
SELECT r.run_id, r.app, r.version, r.machine, r.started_at
FROM runs AS r
JOIN _run_times AS t USING (run_id)
WHERE r.run_id IN (SELECT run_id FROM segments)
ORDER BY t.last_at DESC NULLS LAST, t.position DESC, r.run_id;
