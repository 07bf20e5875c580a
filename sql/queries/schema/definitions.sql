-- Views and table macros with their SQL, in the order in which they were created; private ones, too.
FROM (
  SELECT 'view' AS kind, view_name AS name, sql, view_oid AS place
  FROM duckdb_views()
  WHERE database_name = current_database() AND NOT internal AND NOT temporary
  UNION ALL
  SELECT 'macro', function_name, macro_definition, function_oid
  FROM duckdb_functions()
  WHERE database_name = current_database() AND NOT internal AND function_type IN ('macro', 'table_macro')
)
ORDER BY place;
