-- Rows of the run $run_id that retention deleted, by landing table, and when.
SELECT "table", CAST(sum(rows) AS BIGINT) AS rows, max(forgotten_at) AS forgotten_at
FROM forgotten_rows
WHERE run_id = $run_id
GROUP BY "table"
ORDER BY "table";
