-- Which benchmarks got slower or faster for good, since which version, and is that certain yet?
--
-- The latest change of each first. Where more_runs is a number, the change is provisional: so many
-- more runs may confirm it. A single run is no change yet: series_states names it.
WITH
  changes AS (
    FROM change_points
    UNION ALL BY NAME
    SELECT * EXCLUDE (age) FROM provisional_changes
  )
SELECT
  app, substr(metric, 8) AS benchmark, version AS since,
  direction, round(100 * change, 1) AS percent, before, after, unit, more_runs, acknowledged
FROM changes
WHERE starts_with(metric, 'metric:')
ORDER BY started_at DESC, app, abs(change) DESC;
