-- Runs whose id is or begins with $name; the newest where $name is $latest.
(
  SELECT run_id FROM runs WHERE starts_with(run_id, $name)
)
UNION
(
  SELECT f.run_id
  FROM run_facts AS f
  JOIN sources AS s USING (source_id)
  WHERE $name = $latest
  ORDER BY s.ingested_at DESC, f.position DESC
  LIMIT 1
)
ORDER BY run_id;
