-- Stored scalars of the runs $run_ids that are not as added up again (again.sql). Sums may differ in
-- their last digits: threads add up in any order.
WITH
  asked AS (
    SELECT unnest(from_json($run_ids, '["VARCHAR"]')) AS run_id
  ),

  stored AS (
    FROM query_table('"' || replace(current_database(), '"', '""') || '".main.run_scalars')
    WHERE run_id IN (FROM asked)
  )

SELECT run_id, metric
FROM stored
FULL JOIN run_scalars AS again USING (run_id, metric)
WHERE
  stored.unit IS DISTINCT FROM again.unit
  OR (stored.measurements IS NULL) <> (again.measurements IS NULL)
  OR (stored.deviation IS NULL) <> (again.deviation IS NULL)
  OR (
    stored.value IS DISTINCT FROM again.value
    AND coalesce(abs(stored.value - again.value) > 1e-9 * greatest(abs(stored.value), abs(again.value)), TRUE)
  )
ORDER BY run_id, metric;
