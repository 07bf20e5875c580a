-- What the set that some runs with function times belong to is of: one row each.
SELECT DISTINCT r.app, r.version, r.machine
FROM runs AS r
JOIN (SELECT unnest(CAST($runs AS VARCHAR[])) AS run_id) AS asked USING (run_id)
SEMI JOIN fn_timings AS t ON t.run_id = r.run_id;
