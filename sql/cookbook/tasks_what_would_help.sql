-- Would faster data, a faster runtime, other placement or one more worker shorten a program most?
--
-- In per cent of the run's time: an upper bound, and what a replay of the tasks with their measured
-- durations gains; also of each long part of the critical path, were it half as long.
SELECT
  change, name, cause, round(gain_at_most / 1e9, 3) AS seconds_gained_at_most,
  round(percent, 1) AS percent, round(replay_percent, 1) AS replay_percent
FROM idle_gains
WHERE run_id = 'stencil-1.23'
ORDER BY gain_at_most DESC;
