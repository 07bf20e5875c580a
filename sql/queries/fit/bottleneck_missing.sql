-- Metrics of the set $metric_set that files lack, those that most files lack first.
SELECT metric
FROM (
  SELECT unnest(c.missing) AS metric
  FROM metric_coverage AS c
  JOIN metric_sets AS s USING (metric_set)
  WHERE c.names_class AND s.models_of = $metric_set
)
GROUP BY metric
ORDER BY count(*) DESC, metric
