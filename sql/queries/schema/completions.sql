-- Tables and views with their columns, and table macros with none, for completion in the editor.
SELECT o.name, list(c.column_name ORDER BY c.column_index) FILTER (c.column_name IS NOT NULL)
  AS "columns"
FROM (
  SELECT table_oid AS oid, table_name AS name
  FROM duckdb_tables()
  WHERE database_name = current_database() AND NOT internal AND NOT temporary
    AND NOT starts_with(table_name, '_')
  UNION ALL
  SELECT view_oid, view_name
  FROM duckdb_views()
  WHERE database_name = current_database() AND NOT internal AND NOT temporary
    AND NOT starts_with(view_name, '_')
  UNION ALL
  SELECT NULL, function_name
  FROM duckdb_functions()
  WHERE database_name = current_database() AND NOT internal AND function_type IN ('macro', 'table_macro')
    AND NOT starts_with(function_name, '_')
) AS o
LEFT JOIN duckdb_columns() AS c
  ON c.table_oid = o.oid AND c.database_name = current_database() AND NOT c.internal
GROUP BY o.name
ORDER BY o.name;
