-- The critical path of one run: its parts, the longest first, and what the longest of them would gain if
-- they were half as long.
SELECT coalesce(name, '(unknown)') AS name, cause, percent, gain_percent, replay_percent
FROM _path_gains($run_id);
