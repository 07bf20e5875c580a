-- Classes of the samples of runs, of all ranks or one, that with the largest share of the cycles first: number,
-- probability and drivers.
WITH
  judged AS (
    FROM bottlenecks
    WHERE _is_of(run_id, CAST($runs AS VARCHAR[])) AND ($rank IS NULL OR rank = $rank)
  ),

  chosen AS (
    SELECT *, min(weighed_by) OVER (PARTITION BY 1) = max(weighed_by) OVER (PARTITION BY 1) AS is_alike
    FROM bottleneck_weights
    WHERE _is_of(run_id, CAST($runs AS VARCHAR[])) AND ($rank IS NULL OR rank = $rank)
  ),

  weighed AS (
    SELECT
      class, sum(CASE WHEN is_alike THEN weight ELSE share END) AS weight,
      sum(probability * stated_cycles) / sum(stated_cycles) AS probability,
      _main_reason(
        list({'reason': reason, 'measured': measured, 'samples': samples})
          FILTER (reason IS NOT NULL)
      ) AS reason
    FROM chosen
    GROUP BY class
  ),

  pushed AS (
    SELECT class, drivers.metric AS metric, avg(drivers.contribution) AS contribution,
      CASE WHEN avg(drivers.deviation) > 0 THEN 'high ' ELSE 'low ' END AS side
    FROM (SELECT class, unnest(drivers) AS drivers FROM judged)
    GROUP BY ALL
  ),

  driving AS (
    SELECT
      p.class,
      list(p.side || coalesce(n.name, p.metric) ORDER BY p.contribution DESC)[:3] AS drivers
    FROM pushed AS p
    LEFT JOIN metric_titles AS n USING (metric)
    WHERE p.contribution > 0
    GROUP BY p.class
  )

SELECT
  j.class,
  count(*) AS samples,
  any_value(w.weight) / sum(any_value(w.weight)) OVER (PARTITION BY 1) AS share,
  any_value(w.probability) AS probability,
  mode(j.said_by) AS said_by,
  any_value(w.reason) AS reason,
  any_value(j.advice) AS advice,
  mode(j.metric_set) AS metric_set,
  mode(j.model) AS model,
  list_sort(list_distinct(flatten(list(j.flags)))) AS flags,
  any_value(d.drivers) AS drivers
FROM judged AS j
JOIN weighed AS w USING (class)
LEFT JOIN driving AS d USING (class)
GROUP BY j.class
ORDER BY share DESC, samples DESC, j.class;
