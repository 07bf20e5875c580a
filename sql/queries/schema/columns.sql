-- Columns of the table or view $name.
SELECT column_name AS "column", lower(data_type) AS type, NOT is_nullable AS required,
  comment AS description
FROM duckdb_columns()
WHERE table_name = $name AND NOT internal
ORDER BY column_index;
