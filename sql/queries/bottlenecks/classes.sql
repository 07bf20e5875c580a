-- Classes of the samples of runs, the commonest first: number, probability and drivers.
-- Runs are selected by bounds and a list: that condition is pushed down to the counters, a subquery
-- is not.
WITH
  judged AS (
    FROM bottlenecks
    WHERE run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
      AND list_max(from_json($runs, '["VARCHAR"]'))
      AND list_contains(from_json($runs, '["VARCHAR"]'), run_id)
  ),

  pushed AS (
    SELECT class, drivers.metric AS metric, avg(drivers.contribution) AS contribution
    FROM (SELECT class, unnest(drivers) AS drivers FROM judged)
    GROUP BY ALL
  )

SELECT
  j.class,
  count(*) AS samples,
  count(*) / sum(count(*)) OVER () AS share,
  avg(j.probability) AS probability,
  mode(j.said_by) AS said_by,
  mode(j.reason) AS reason,
  any_value(j.advice) AS advice,
  mode(j.metric_set) AS metric_set,
  mode(j.model) AS model,
  list_sort(list_distinct(flatten(list(j.flags)))) AS flags,
  (
    SELECT list(p.metric ORDER BY p.contribution DESC)[:3]
    FROM pushed AS p
    WHERE p.class = j.class AND p.contribution > 0
  ) AS drivers
FROM judged AS j
GROUP BY j.class
ORDER BY samples DESC, j.class;
