-- For this session: the runs $run_ids, without any stored scalars.
CREATE TEMP TABLE kept_runs (run_id VARCHAR, revision VARCHAR, rows MAP(VARCHAR, BIGINT));

CREATE TEMP TABLE run_scalars AS
FROM query_table('"' || replace(current_database(), '"', '""') || '".main.run_scalars')
LIMIT 0;

CREATE TEMP TABLE runs AS
FROM query_table('"' || replace(current_database(), '"', '""') || '".main.runs')
WHERE run_id IN (SELECT unnest(from_json($run_ids, '["VARCHAR"]')));
