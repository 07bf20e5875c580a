-- The rows of the table $table of the runs $runs.
FROM query_table($table)
WHERE list_contains(from_json($runs, '["VARCHAR"]'), run_id);
