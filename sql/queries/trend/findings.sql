-- Series of one application with all that is found in them.
FROM _series_findings
WHERE app = $app
  AND ($machine IS NULL OR machine GLOB $machine)
  AND len(
    list_filter(
      from_json($metrics, '["VARCHAR"]'), lambda pattern: metric = pattern OR metric GLOB pattern
    )
  ) > 0;
