-- Change points of one application: those known to be worse or better first, then the largest.
SELECT *
FROM change_points
WHERE app = $app
  AND ($machine IS NULL OR _matches(machine, $machine))
  AND _matches_any(metric, $metrics)
ORDER BY
  direction IS NULL,
  abs(ln(nullif("after" / nullif("before", 0), 0))) DESC NULLS LAST,
  metric, CAST(fields AS VARCHAR), "index";
