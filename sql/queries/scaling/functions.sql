-- Functions by their predicted time at $target, with their shares there and at $largest; at problem
-- size $size, NULL for the set's own: then the formula is that of both parameters.
WITH
  predictions AS (
    SELECT p.*, m.formula, m.flags AS notes
    FROM scaling_predict([CAST($target AS BIGINT), CAST($largest AS BIGINT)]) AS p
    LEFT JOIN scaling_models AS m ON p.set_id = m.set_id AND p.function = m.function
    WHERE $size IS NULL
    UNION ALL BY NAME
    SELECT p.*, m.formula, p.flags AS notes
    FROM scaling_predict_at([CAST($target AS BIGINT), CAST($largest AS BIGINT)], $size) AS p
    LEFT JOIN scaling_surfaces AS m ON p.set_id = m.set_id AND p.function = m.function
    WHERE $size IS NOT NULL
  )

SELECT
  function,
  any_value(kind) AS kind,
  any_value(predicted) FILTER (parallelism = $target) AS predicted,
  any_value(low) FILTER (parallelism = $target) AS low,
  any_value(high) FILTER (parallelism = $target) AS high,
  any_value(predicted) FILTER (parallelism = $largest) AS seconds_largest,
  any_value(share) FILTER (parallelism = $target) AS share,
  any_value(share) FILTER (parallelism = $largest) AS share_measured,
  any_value(share) FILTER (parallelism = $target)
    - any_value(share) FILTER (parallelism = $largest) AS growth,
  any_value(formula) AS formula,
  any_value(notes) FILTER (parallelism = $target) AS flags
FROM predictions
WHERE set_id = $set_id AND kind <> 'total'
GROUP BY function
ORDER BY predicted DESC NULLS LAST, function;
