-- What the noise of the series of one application is like, and what could be seen in them; and of how
-- many runs the latest commit is where it is off.
SELECT
  *,
  (
    SELECT count(*)
    FROM _run_places AS p
    JOIN _run_places AS o ON p.configuration_id = o.configuration_id AND p.repeats = o.repeats
    WHERE p.run_id = latest_outlier_run_id
  ) AS latest_runs
FROM series_states
WHERE app = $app
  AND ($machine IS NULL OR _matches(machine, $machine))
  AND _matches_any(metric, $metrics)
ORDER BY metric, CAST(fields AS VARCHAR);
