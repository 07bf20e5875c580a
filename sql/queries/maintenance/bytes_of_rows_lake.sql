-- About how many bytes a row of each table of a lake takes: of files, else as values of 8 bytes.
SELECT
  t.table_name, coalesce(t.file_size_bytes / nullif(d.estimated_size, 0), 8.0 * d.column_count)
FROM ducklake_table_info({lake}) AS t
JOIN duckdb_tables() AS d
  ON t.table_name = d.table_name AND d.database_name = {lake} AND d.schema_name = 'main';
