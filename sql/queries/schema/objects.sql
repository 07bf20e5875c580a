-- What there is to ask: tables, views, table macros and pwh's own functions.
SELECT 'table' AS kind, table_name AS name, comment AS description
FROM duckdb_tables()
WHERE NOT internal
UNION ALL
SELECT 'view', view_name, comment
FROM duckdb_views()
WHERE NOT internal AND NOT starts_with(view_name, '_')
UNION ALL
SELECT 'macro', function_name || '(' || array_to_string(parameters, ', ') || ')', comment
FROM duckdb_functions()
WHERE NOT internal AND function_type = 'table_macro' AND NOT starts_with(function_name, '_')
ORDER BY kind, name;
