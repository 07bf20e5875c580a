-- The critical path of one run: its parts, the longest first, and what the longest of them would gain if
-- they were half as long.
SELECT
  coalesce(s.name, '(unknown)') AS name, s.cause, s.percent, g.percent AS gain_percent, g.replay_percent
FROM (FROM critical_path_shares WHERE run_id = $run_id) AS s
LEFT JOIN (FROM idle_gains WHERE run_id = $run_id) AS g
  ON s.name IS NOT DISTINCT FROM g.name AND s.cause = g.cause
ORDER BY s.ns DESC, name, s.cause;
