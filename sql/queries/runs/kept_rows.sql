-- Of those of the runs $runs (a JSON list) whose scalars are kept: rows by landing table.
SELECT run_id, rows
FROM kept_runs
WHERE run_id IN (SELECT unnest(from_json($runs, '["VARCHAR"]'))) AND rows IS NOT NULL;
