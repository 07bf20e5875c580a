-- What can be queried: tables, views, table macros, and the functions $functions of pwh; all, or
-- those of the name $name; those of the names $first first. $comments is a JSON object of those that the catalogue may lack.
FROM (
  SELECT 'table' AS kind, table_name AS name, NULL AS parameters, comment AS description
  FROM duckdb_tables()
  WHERE database_name = current_database() AND NOT internal AND NOT temporary AND NOT starts_with(table_name, '_')
  UNION ALL
  SELECT 'view', view_name, NULL, comment
  FROM duckdb_views()
  WHERE database_name = current_database() AND NOT internal AND NOT temporary AND NOT starts_with(view_name, '_')
  UNION ALL
  SELECT 'macro', function_name, array_to_string(parameters, ', '),
    coalesce(comment, CAST($comments AS JSON)->>function_name)
  FROM duckdb_functions()
  WHERE database_name = current_database() AND NOT internal AND function_type IN ('macro', 'table_macro') AND NOT starts_with(function_name, '_')
  UNION ALL
  SELECT 'function', f.name, f.parameters, f.description
  FROM (
    SELECT
      unnest(
        from_json(
          $functions,
          '[{"name": "VARCHAR", "parameters": "VARCHAR", "description": "VARCHAR"}]'
        )
      ) AS f
  )
)
WHERE $name IS NULL OR name = $name
ORDER BY list_position(CAST($first AS VARCHAR[]), name), list_position(['table', 'view', 'macro', 'function'], kind), name;
