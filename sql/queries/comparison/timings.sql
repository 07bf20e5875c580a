-- The rows of fn_timings of the sets of runs (application, version and machine) that $runs belong to.
FROM fn_timings
SEMI JOIN (
  SELECT s.run_id
  FROM runs AS r
  JOIN runs AS s
    ON r.app IS NOT DISTINCT FROM s.app AND r.version IS NOT DISTINCT FROM s.version
    AND r.machine IS NOT DISTINCT FROM s.machine
  WHERE list_contains(from_json($runs, '["VARCHAR"]'), r.run_id)
) USING (run_id);
