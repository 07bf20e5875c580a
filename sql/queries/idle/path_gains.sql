-- What the longest parts of the critical path of one run would gain if they were half as long, of those
-- that are a twentieth of it.
SELECT coalesce(name, '(unknown)') AS name, cause, gain_percent, replay_percent
FROM critical_path_gains($run_id)
WHERE percent >= 5
LIMIT 3;
