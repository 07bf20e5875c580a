-- Applications with function times at known counts.
SELECT DISTINCT app
FROM scaling_runs
WHERE app IS NOT NULL
  AND (
    parallelism IS NOT NULL
    OR run_id IN (
      SELECT run_id FROM fn_timings WHERE parallelism IS NOT NULL
    )
  )
ORDER BY app;
