-- Queries that were saved under a name, with their boards and charts.
SELECT name, query, board, chart, across, up, colour
FROM saved_queries
ORDER BY name
