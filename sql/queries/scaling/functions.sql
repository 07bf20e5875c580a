-- Functions by their predicted time at $target, with their shares there and at $largest.
WITH
  predictions AS (
    FROM scaling_predict([CAST($target AS BIGINT), CAST($largest AS BIGINT)])
    WHERE set_id = $set_id AND kind <> 'total'
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
  any_value(m.formula) AS formula,
  any_value(m.flags) AS flags
FROM predictions
LEFT JOIN (
  SELECT function, formula, flags
  FROM scaling_models
  WHERE set_id = $set_id
) AS m USING (function)
GROUP BY function
ORDER BY predicted DESC NULLS LAST, function;
