-- Of those of the runs $runs whose scalars are kept: rows by landing table.
SELECT run_id, rows
FROM kept_runs
WHERE run_id IN (SELECT unnest(CAST($runs AS VARCHAR[]))) AND rows IS NOT NULL;
