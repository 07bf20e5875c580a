-- Runs that no file states: those that were written by hand, and what is left over of others.
SELECT run_id
FROM runs
WHERE run_id NOT IN (SELECT run_id FROM run_facts)
ORDER BY run_id;
