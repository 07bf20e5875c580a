-- How fast do data move between nodes?
--
-- A low rate of small data is latency: send fewer, larger pieces. Times are those of the nodes'
-- own clocks: see clocks_of_nodes.sql.
SELECT
  app, run_id, from_node, to_node,
  count(*) AS transfers,
  round(sum(bytes) / 1e6, 2) AS megabytes,
  round(median(t_recv - t_send) / 1e6, 2) AS median_ms,
  round(quantile_cont(t_recv - t_send, 0.9) / 1e6, 2) AS slowest_tenth_ms,
  round(median(bytes / (t_recv - t_send) * 1e3), 1) AS median_megabytes_per_second
FROM transfers
JOIN runs USING (run_id)
WHERE t_recv > t_send
GROUP BY app, run_id, from_node, to_node
ORDER BY app, run_id, from_node, to_node;
