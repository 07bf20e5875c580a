-- Queries of a board in its order, with their charts.
SELECT name, query, board, chart, across, up, colour, place, coalesce(is_half, false) AS is_half
FROM saved_queries
WHERE board = $board
ORDER BY place NULLS LAST, name;
