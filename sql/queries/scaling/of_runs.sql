-- The sets that those of the runs with function times belong to; NULL without an application.
SELECT DISTINCT if(r.app IS NULL, NULL, _set_id(r.app, r.version, r.machine)) AS set_id
FROM runs AS r
JOIN (SELECT unnest(CAST($runs AS VARCHAR[])) AS run_id) AS asked USING (run_id)
SEMI JOIN fn_timings AS t ON t.run_id = r.run_id;
