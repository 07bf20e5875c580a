-- Functions of a set of runs by the patent's bases alone, at $counts; the slowest first.
WITH
  fitted AS (
    SELECT
      function, kind, $counts AS counts,
      scaling_patent(
        kind,
        CASE WHEN seen_last THEN x ELSE [] END,
        CASE WHEN seen_last THEN y ELSE [] END,
        noise,
        list_transform($counts, lambda count: CAST(count AS DOUBLE))
      ) AS model,
      flags, CASE WHEN seen_last THEN y[-1] END AS measured
    FROM scaling_series
    WHERE set_id = $set_id AND kind <> 'total'
  ),

  each AS (
    SELECT
      function, kind, measured,
      unnest(counts) AS parallelism,
      unnest(model['seconds']) AS predicted,
      unnest(model['low']) AS low,
      unnest(model['high']) AS high,
      model['formula'] AS formula,
      model['parameters'] AS parameters,
      flags || model['flags'] AS flags
    FROM fitted
  )

SELECT
  function, kind, parallelism, predicted, low, high,
  _share(predicted, measured, kind, NULL, parallelism) AS share,
  formula, parameters, flags
FROM each
ORDER BY parallelism, predicted DESC NULLS LAST, function;
