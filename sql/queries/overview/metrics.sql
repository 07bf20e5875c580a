-- The metrics of whole runs, and of each application that has none of them the metric that it is
-- judged by, else the first of those with a unit and most runs, results of benchmarks first.
WITH
  totals (metric) AS (
    VALUES ('wall_seconds'), ('functions:seconds')
  ),

  others AS (
    SELECT app, run_id
    FROM runs
    WHERE app NOT IN (SELECT app FROM runs WHERE app IS NOT NULL AND wall_seconds IS NOT NULL)
  ),

  counted AS (
    SELECT r.app, s.metric, any_value(s.unit) AS unit, count(*) AS runs
    FROM run_scalars AS s
    JOIN others AS r ON s.run_id = r.run_id
    GROUP BY r.app, s.metric
  ),

  first_of_others AS (
    SELECT c.metric
    FROM counted AS c
    LEFT JOIN _main_order AS o ON c.metric = o.metric
    QUALIFY row_number() OVER (
      PARTITION BY c.app
      ORDER BY
        o.place NULLS LAST, _is_size(c.metric), NOT starts_with(c.metric, 'metric:'),
        c.unit IS NULL, c.runs DESC, c.metric
    ) = 1
  )

FROM totals
UNION
FROM first_of_others
ORDER BY metric;
