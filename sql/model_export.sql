-- The model $kind/$version with all its rows, in one row.
SELECT
  m.* EXCLUDE (version, shipped),
  (
    SELECT list({'name': name, 'shape': shape, 'values': "values"} ORDER BY name)
    FROM model_arrays
    WHERE kind = $kind AND version = $version
  ) AS model_arrays,
  (
    SELECT list({'algorithm': algorithm, 'split': split, 'measure': measure, 'value': value})
    FROM model_scores
    WHERE kind = $kind AND version = $version
  ) AS model_scores,
  (
    SELECT list({'stage': stage, 'iteration': iteration, 'measure': measure, 'value': value})
    FROM model_history
    WHERE kind = $kind AND version = $version
  ) AS model_history,
  (
    SELECT list({'layers': layers, 'nodes': nodes, 'measure': measure, 'value': value})
    FROM model_search
    WHERE kind = $kind AND version = $version
  ) AS model_search
FROM models AS m
WHERE m.kind = $kind AND m.version = $version
