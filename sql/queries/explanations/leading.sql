-- What leads the explanation of the change whose level a run has, the last one up to it: the metric, the cause,
-- and what else has the metric that leads.
WITH
  changes AS (
    SELECT change_id, runs, against
    FROM change_explanations
    WHERE app = (SELECT app FROM runs WHERE run_id = $run_id) AND topic = 'metric'
      AND list_contains(runs, $run_id)
    ORDER BY started_at DESC, change_id
    LIMIT 1
  )

SELECT e.* EXCLUDE (place)
FROM change_explanations AS e
SEMI JOIN changes AS c ON e.change_id = c.change_id
WHERE e.topic NOT IN ('ledger', 'setting')
ORDER BY e.place;
