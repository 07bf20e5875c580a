-- The largest number of an event; 0 without any.
SELECT coalesce(max(event_id), 0) AS event_id
FROM _change_events;
