-- How the measurements within the run $after lie to those within the run $before, of each of $metrics
-- that both measured at least five times: above or below all of them; NULL where they overlap.
SELECT
  'metric:' || metric AS metric,
  count(value) FILTER (run_id = $before) AS before,
  count(value) FILTER (run_id = $after) AS "after",
  CASE
    WHEN min(value) FILTER (run_id = $after) > max(value) FILTER (run_id = $before) THEN 'above'
    WHEN max(value) FILTER (run_id = $after) < min(value) FILTER (run_id = $before) THEN 'below'
  END AS lie
FROM metrics
WHERE
  run_id IN ($before, $after)
  AND repetition IS NOT NULL
  AND list_contains(CAST($metrics AS VARCHAR[]), 'metric:' || metric)
GROUP BY metric
HAVING least(before, "after") >= 5
ORDER BY metric;
