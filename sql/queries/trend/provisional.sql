-- Levels at the end of the series of one application that are no changes yet.
SELECT *
FROM provisional_changes
WHERE app = $app
  AND ($machine IS NULL OR _matches(machine, $machine))
  AND _matches_any(metric, $metrics)
ORDER BY metric, CAST(fields AS VARCHAR), "index";
