-- The device of a run that the others waited for in communication.
FROM gpu_stragglers
WHERE run_id = $run_id AND step IS NULL;
