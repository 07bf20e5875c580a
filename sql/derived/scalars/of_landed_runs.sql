-- The files with facts of the runs $run_ids.
CREATE TEMP TABLE _keep AS
SELECT DISTINCT run_id, source_id
FROM run_facts
WHERE run_id IN (SELECT unnest(from_json($run_ids, '["VARCHAR"]')));
