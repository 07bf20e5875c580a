-- Runs of which only the wall time is known, of $app or where that is NULL of the application with
-- most: how many, what they are counted by, and of how many that is not known. One row or none.
SELECT
  app, count(*) AS runs,
  CASE
    WHEN count(ranks) > 0 THEN 'ranks'
    WHEN count(nodes) > count(threads) THEN 'nodes'
    ELSE 'threads'
  END AS counted_by,
  count(*) - greatest(count(ranks), count(threads), count(nodes)) AS uncounted
FROM runs
WHERE wall_seconds > 0 AND ($app IS NULL OR app = $app)
  AND run_id NOT IN (SELECT run_id FROM fn_timings)
  AND run_id NOT IN (SELECT run_id FROM failed_runs)
GROUP BY app
ORDER BY runs DESC, app
LIMIT 1;
