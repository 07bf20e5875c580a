-- Rows of the runs $runs by landing table, those without any left out, as counted now.
WITH
  asked AS (
    SELECT unnest(CAST($runs AS VARCHAR[])) AS run_id
  )

SELECT run_id, "table", CAST(sum(rows) AS BIGINT) AS rows
FROM _landed_rows
SEMI JOIN asked USING (run_id)
WHERE "table" NOT IN ('idle_intervals', 'idle_latency', 'idle_segments')
GROUP BY run_id, "table"
ORDER BY run_id, "table";
