-- Bursts of bad runs in the series of one application.
SELECT *
FROM disturbances
WHERE app = $app
  AND ($machine IS NULL OR _matches(machine, $machine))
  AND _matches_any(metric, $metrics)
ORDER BY metric, CAST(fields AS VARCHAR), "first";
