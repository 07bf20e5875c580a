-- The tables of the warehouse, and about how many rows each has.
SELECT table_name, estimated_size
FROM duckdb_tables()
WHERE database_name = current_database() AND schema_name = 'main' AND NOT temporary
ORDER BY table_name;
