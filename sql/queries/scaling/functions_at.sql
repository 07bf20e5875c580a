-- Functions by their predicted time at $target and problem size $size, with their shares there and
-- at $largest; the formula is that of both parameters.
WITH
  predictions AS (
    FROM scaling_predict_at([CAST($target AS BIGINT), CAST($largest AS BIGINT)], $size)
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
  any_value(p.flags) FILTER (parallelism = $target) AS flags
FROM predictions AS p
LEFT JOIN (
  SELECT function, formula
  FROM scaling_surfaces
  WHERE set_id = $set_id
) AS m USING (function)
GROUP BY function
ORDER BY predicted DESC NULLS LAST, function;
