-- Applications with function times at known counts.
SELECT DISTINCT app
FROM _scaling_runs_of($of)
WHERE app IS NOT NULL
  AND (
    parallelism IS NOT NULL
    OR run_id IN (
      SELECT run_id FROM query_table($of || 'fn_timings') WHERE parallelism IS NOT NULL
    )
  )
ORDER BY app;
