-- Columns of all tables, in order.
SELECT table_name, column_name, data_type, is_nullable
FROM duckdb_columns()
WHERE NOT internal
ORDER BY table_name, column_index;
