-- Columns, in order, of the tables whose rows belong to a run and come from a source; those of the
-- analyses $analyses are computed.
SELECT
  table_name AS "table",
  column_name AS "column",
  data_type AS type,
  CAST(NOT is_nullable AS VARCHAR) AS required
FROM duckdb_columns()
WHERE (database_oid, table_oid) IN (
  SELECT database_oid, table_oid
  FROM duckdb_columns()
  JOIN duckdb_tables() USING (database_oid, schema_oid, table_oid)
  WHERE column_name IN ('run_id', 'source_id')
  GROUP BY database_oid, table_oid
  HAVING count(*) = 2
)
  AND NOT list_contains($analyses, table_name)
ORDER BY "table", column_index;
