-- Edit this query: every table and view on the left can be queried.
SELECT app, version, machine, count(*) AS runs, max(started_at) AS last_at,
  median(wall_seconds) AS wall_seconds
FROM runs
GROUP BY ALL
ORDER BY last_at DESC NULLS LAST, app, version
LIMIT 200
