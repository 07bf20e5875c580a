-- What functions of one run cost in a profile of events, the largest share first.
WITH
  event AS (
    SELECT any_value(event) AS event FROM function_costs WHERE run_id = $run_id
  )

SELECT
  function, own AS cost, own / nullif(sum(own) OVER (PARTITION BY 1), 0) AS share, inclusive, unit,
  (SELECT event FROM event) AS event
FROM function_totals
WHERE run_id = $run_id AND EXISTS (FROM function_costs WHERE run_id = $run_id)
ORDER BY share DESC NULLS LAST, function;
