-- Columns of public views, of those named $views, that have no comment and one of the names $columns.
SELECT table_name, column_name
FROM duckdb_columns()
WHERE database_name = current_database() AND comment IS NULL AND NOT starts_with(table_name, '_')
  AND list_contains($views, table_name) AND list_contains($columns, column_name);
