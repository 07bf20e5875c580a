-- The $number runs that started last; where that is unknown, what counts is when they landed.
SELECT
  f.run_id, coalesce(any_value(r.started_at), max(s.ingested_at)) AS last_at,
  max(f.position) AS position
FROM run_facts AS f
JOIN sources AS s USING (source_id)
JOIN runs AS r USING (run_id)
GROUP BY f.run_id
ORDER BY last_at DESC, position DESC, f.run_id
LIMIT $number;
