-- Functions of two sets of runs, $before and $after: how fast their time grows with the parallelism,
-- their times at the largest count at which both were measured, and their shares of the predicted
-- time at $at; the worse ones first. An exponent is certainly worse where the 90 % interval of the
-- difference is above 0, and the same where the times of a doubling differ by 5 % at most; else that
-- is uncertain. Where only whole runs were measured, these are compared.
WITH
  models AS (
    SELECT set_id, function, kind, exponent, exponent_low, exponent_high, formula, points, flags
    FROM scaling_models
    WHERE set_id IN ($before, $after)
    QUALIFY kind <> 'total' OR bool_and(kind = 'total') OVER (PARTITION BY 1)
  ),

  times AS (
    SELECT
      function, parallelism,
      any_value(seconds) FILTER (set_id = $before) AS before,
      any_value(seconds) FILTER (set_id = $after) AS after
    FROM (
      SELECT set_id, function, unnest(x) AS parallelism, unnest(y) AS seconds
      FROM scaling_series
      WHERE set_id IN ($before, $after)
    )
    GROUP BY function, parallelism
    HAVING count(*) = 2
    QUALIFY row_number() OVER (PARTITION BY function ORDER BY parallelism DESC) = 1
  ),

  shares AS (
    SELECT set_id, function, share
    FROM scaling_predict(CAST($at AS BIGINT))
    WHERE set_id IN ($before, $after)
  )

SELECT
  function,
  a.exponent AS exponent_before, b.exponent AS exponent_after,
  b.exponent - a.exponent AS change,
  CASE
    WHEN a.function IS NULL THEN 'new'
    WHEN b.function IS NULL THEN 'gone'
    WHEN a.exponent IS NULL OR b.exponent IS NULL THEN 'unknown'
    WHEN _is_steeper(b, a) THEN 'worse'
    WHEN _is_steeper(a, b) THEN 'better'
    WHEN abs(b.exponent - a.exponent) > log2(1.05) THEN 'uncertain'
    ELSE 'same'
  END AS verdict,
  CAST(m.parallelism AS BIGINT) AS at_count, m.before AS seconds_before, m.after AS seconds_after,
  s.share AS share_before, t.share AS share_after,
  a.formula AS formula_before, b.formula AS formula_after
FROM (FROM models WHERE set_id = $before) AS a
FULL JOIN (FROM models WHERE set_id = $after) AS b USING (function)
LEFT JOIN times AS m USING (function)
LEFT JOIN (FROM shares WHERE set_id = $before) AS s USING (function)
LEFT JOIN (FROM shares WHERE set_id = $after) AS t USING (function)
ORDER BY
  list_position(['worse', 'new', 'uncertain', 'unknown', 'gone', 'better', 'same'], verdict),
  greatest(coalesce(share_after, 0), coalesce(share_before, 0)) DESC, function;
