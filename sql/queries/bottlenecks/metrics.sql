-- Metrics of runs: the mean over their samples, weighted by cycles as the verdict is, and how far
-- that is from the training's mean.
SELECT
  s.metric_set, s.metric, t.title, t.unit, count(s.value) AS samples, 
  sum(s.value * coalesce(s.cycles, 1))
    / nullif(sum(coalesce(s.cycles, 1)) FILTER (s.value IS NOT NULL), 0) AS value,
  sum(s.standardised * coalesce(s.cycles, 1))
    / nullif(sum(coalesce(s.cycles, 1)) FILTER (s.standardised IS NOT NULL), 0) AS standardised
FROM pmu_standardised AS s
LEFT JOIN (
  SELECT DISTINCT metric_set, metric, position FROM _set_definitions WHERE metric IS NOT NULL
) AS d USING (metric_set, metric)
LEFT JOIN metric_titles AS t USING (metric)
WHERE _is_of(s.run_id, CAST($runs AS VARCHAR[]))
GROUP BY s.metric_set, s.metric, t.title, t.unit, d.position
HAVING count(s.value) > 0
ORDER BY s.metric_set, d.position, s.metric;
