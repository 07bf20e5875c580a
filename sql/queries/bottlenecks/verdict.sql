-- The verdict on runs together ($by is run) or on each of their regions ($by is region), the place
-- with the largest weight first; `of_all` is its share of the weight of all.
WITH
  chosen AS (
    SELECT *, CASE WHEN $by = 'region' THEN region END AS place
    FROM bottleneck_weights
    WHERE _is_of(run_id, CAST($runs AS VARCHAR[]))
  ),

  -- runs that are weighted by different units count the same
  weighed AS (
    SELECT
      * REPLACE (CASE WHEN is_alike THEN weight ELSE share END AS weight),
      CASE WHEN is_alike THEN weighed_by ELSE 'runs' END AS unit
    FROM (SELECT *, min(weighed_by) OVER (PARTITION BY 1) = max(weighed_by) OVER (PARTITION BY 1) AS is_alike FROM chosen)
  ),

  classes AS (
    SELECT
      place, class, sum(weight) AS weight, any_value(unit) AS unit, sum(samples) AS samples,
      sum(probability * stated_cycles) / sum(stated_cycles) AS probability,
      any_value(advice) AS advice, mode(said_by) AS said_by,
      count(DISTINCT reason) AS reasons,
      _main_reason(
        list({'reason': reason, 'measured': measured, 'samples': samples})
          FILTER (reason IS NOT NULL)
      ) AS reason
    FROM weighed
    GROUP BY place, class
  ),

  places AS (
    SELECT
      place, sum(weight) AS weight, sum(samples) AS samples, any_value(unit) AS unit,
      list(
        {
          'class': class, 'weight': weight, 'samples': samples, 'probability': probability,
          'advice': advice, 'reason': reason, 'reasons': reasons, 'said_by': said_by
        } ORDER BY weight DESC, class
      ) AS classes
    FROM classes
    GROUP BY place
  )

SELECT
  place AS region,
  array_to_string(list_transform(_heaviest(classes), lambda h: h.class), ' or ') AS class,
  unit AS weighed_by, weight / sum(weight) OVER (PARTITION BY 1) AS of_all,
  CAST(samples AS BIGINT) AS all_samples, len(_heaviest(classes)) AS tied,
  list_transform(
    classes,
    lambda c: {
      'class': c.class, 'share': c.weight / weight, 'samples': CAST(c.samples AS BIGINT),
      'probability': c.probability, 'advice': c.advice, 'reason': c.reason,
      'reasons': c.reasons, 'said_by': c.said_by
    }
  ) AS classes
FROM places
ORDER BY weight DESC, region;
