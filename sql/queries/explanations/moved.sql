-- What moved at the event that begins with a run.
SELECT moved, environment
FROM change_events
WHERE run_id = $run_id;
