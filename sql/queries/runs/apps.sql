-- Applications, and their numbers of runs.
SELECT app, count(*) AS runs
FROM runs
WHERE app IS NOT NULL
GROUP BY app
ORDER BY app;
