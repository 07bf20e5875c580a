-- Bursts of bad runs in the series of one application.
SELECT *
FROM disturbances
WHERE app = $app
  AND ($machine IS NULL OR machine GLOB $machine)
  AND len(
    list_filter(
      from_json($metrics, '["VARCHAR"]'), lambda pattern: metric = pattern OR metric GLOB pattern
    )
  ) > 0
ORDER BY metric, CAST(fields AS VARCHAR), "first";
