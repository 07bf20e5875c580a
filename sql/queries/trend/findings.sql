-- Series of one application with all that is found in them.
FROM _series_findings
WHERE app = $app
  AND ($machine IS NULL OR machine GLOB $machine)
  AND _matches_any(metric, $metrics);
