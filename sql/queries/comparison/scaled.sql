-- The runs of the sets (application, version and machine) that $runs belong to.
SELECT DISTINCT s.run_id
FROM runs AS r
JOIN runs AS s
  ON r.app IS NOT DISTINCT FROM s.app AND r.version IS NOT DISTINCT FROM s.version
  AND r.machine IS NOT DISTINCT FROM s.machine
WHERE list_contains(from_json($runs, '["VARCHAR"]'), r.run_id);
