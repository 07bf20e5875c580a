-- Queries that were saved under a name.
SELECT name, query
FROM saved_queries
ORDER BY name
