-- The rows of the table $table of the runs $runs.
FROM query_table($table)
WHERE _is_of(run_id, from_json($runs, '["VARCHAR"]'));
