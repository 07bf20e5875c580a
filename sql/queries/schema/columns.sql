-- Columns of the table or view $name; $comments is a JSON object of those that the catalogue may lack.
SELECT column_name AS "column", lower(data_type) AS type, NOT is_nullable AS required,
  coalesce(
    comment, CAST($comments AS JSON)->>(table_name || '.' || column_name),
    CASE WHEN table_name IN (SELECT unnest(views) FROM view_modules)
      THEN CAST($comments AS JSON)->>('.' || column_name) END
  ) AS description
FROM duckdb_columns()
WHERE database_name = current_database() AND table_name = $name AND NOT internal
ORDER BY column_index;
