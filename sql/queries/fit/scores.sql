-- Scores of the model $kind/$version and of the algorithms that were tried beside it.
SELECT
  s.algorithm, s.split, s.measure, s.value, s.algorithm = m.algorithm AS is_chosen
FROM model_scores AS s
JOIN models AS m USING (kind, version)
WHERE s.kind = $kind AND s.version = $version
ORDER BY s.split, s.measure, s.value DESC, s.algorithm
