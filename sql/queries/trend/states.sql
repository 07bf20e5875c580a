-- What the noise of the series of one application is like, and what could be seen in them.
SELECT *
FROM series_states
WHERE app = $app
  AND ($machine IS NULL OR _matches(machine, $machine))
  AND _matches_any(metric, $metrics)
ORDER BY metric, CAST(fields AS VARCHAR);
