-- All runs.
SELECT run_id FROM runs;
