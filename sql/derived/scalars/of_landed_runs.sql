-- The files with facts of the runs of which {runs} is the condition.
CREATE TEMP TABLE _keep AS
SELECT DISTINCT run_id, source_id
FROM run_facts
WHERE {runs};
