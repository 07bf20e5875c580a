-- Metric sets of which there are samples, those with labelled runs first: how many samples, how
-- many of them a model can learn from, and how many are in labelled runs.
SELECT
  t.models_of AS metric_set,
  count(*) AS samples,
  count(*) FILTER (m.reason IS NULL AND list_count(m.metrics) = len(m.names)) AS usable,
  count(*) FILTER (
    m.run_id IN (SELECT run_id FROM _training_labels UNION ALL SELECT run_id FROM bottleneck_labels)
  ) AS labelled
FROM sample_metrics AS m
JOIN metric_sets AS t USING (metric_set)
WHERE m.names_class
GROUP BY t.models_of
ORDER BY usable > 0 DESC, labelled DESC, usable DESC, t.models_of
