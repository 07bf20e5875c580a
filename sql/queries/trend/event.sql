-- The first run of an event, present or withdrawn.
SELECT run_id
FROM change_events
WHERE event_id = $event_id;
