-- Queries that were saved under a name, of the board $board or all.
SELECT name, query, board, chart, across, up, colour
FROM saved_queries
WHERE $board IS NULL OR board = $board
ORDER BY name
