-- How far is the latest run of each program from its best one ever?
--
-- Runs are compared where machine, processes, threads and problem size are the same.
SELECT
  c.app, c.configuration['ranks'] AS ranks,
  count(*) AS runs,
  arg_min(c.version, wall_seconds) AS best_version,
  round(min(wall_seconds), 2) AS best_seconds,
  arg_max(c.version, c.started_at) AS latest_version,
  round(arg_max(wall_seconds, c.started_at), 2) AS latest_seconds,
  round(100 * (arg_max(wall_seconds, c.started_at) / min(wall_seconds) - 1), 1) AS percent_slower
FROM run_configurations AS c
JOIN runs USING (run_id)
WHERE wall_seconds > 0 AND c.started_at IS NOT NULL
GROUP BY c.app, c.configuration
HAVING count(*) > 1
ORDER BY percent_slower DESC;
