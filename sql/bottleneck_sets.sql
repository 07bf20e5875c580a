-- Metric sets of which there are samples, those with labelled runs first: how many samples, how
-- many of them a model can learn from, and how many are in runs of which a label speaks.
SELECT
  models_of AS metric_set,
  count(*) AS samples,
  count(*) FILTER (reason IS NULL AND list_count(metrics) = len(names)) AS usable,
  count(*) FILTER (
    run_id IN (SELECT run_id FROM _training_labels UNION ALL SELECT run_id FROM bottleneck_labels)
  ) AS labelled
FROM sample_metrics
WHERE models_of IS NOT NULL
GROUP BY models_of
ORDER BY usable > 0 DESC, labelled DESC, usable DESC, metric_set
