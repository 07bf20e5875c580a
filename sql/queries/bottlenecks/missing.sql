-- The metrics that no file of runs measured, of the metric sets that name classes, with the events
-- that they are made of.
WITH
  used AS (
    SELECT metric_set, flatten(list(metrics)) AS metrics
    FROM metric_coverage
    WHERE _is_of(run_id, CAST($runs AS VARCHAR[]))
      AND names_class
    GROUP BY metric_set
  )

SELECT
  u.metric_set, d.metric, coalesce(any_value(t.title), d.metric) AS title,
  list_sort(list(DISTINCT d.event)) AS events
FROM used AS u
JOIN _set_definitions AS d USING (metric_set)
LEFT JOIN metric_titles AS t USING (metric)
WHERE d.role IN ('numerator', 'share', 'operand') AND NOT list_contains(u.metrics, d.metric)
GROUP BY u.metric_set, d.metric, d.position
ORDER BY u.metric_set, d.position;
