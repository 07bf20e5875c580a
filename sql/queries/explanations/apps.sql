-- Applications of the runs on both sides.
SELECT DISTINCT app
FROM runs
WHERE app IS NOT NULL AND list_contains($runs || $against, run_id)
ORDER BY app;
