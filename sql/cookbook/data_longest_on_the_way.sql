-- Which data took longest from being made to being read, and where did the time go?
--
-- wait_to_send is before it left its node (a slow or busy network, or nobody asked), transit on the
-- way, wait_to_consume after it was there: for other inputs or a free worker; all in seconds.
SELECT
  run_id, data, producer, reader, from_node, to_node, wait_to_send_ns / 1e9 AS wait_to_send,
  transit_ns / 1e9 AS transit, wait_to_consume_ns / 1e9 AS wait_to_consume
FROM data_lifecycle
WHERE t_consumed >= t_made
ORDER BY t_consumed - t_made DESC
LIMIT 20;
