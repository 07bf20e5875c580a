-- Runs on both sides of an explanation, in order of time.
SELECT run_id, app, version, started_at, list_contains($runs, run_id) AS is_after
FROM runs
WHERE list_contains($runs || $against, run_id)
ORDER BY started_at, list_position($against || $runs, run_id);
