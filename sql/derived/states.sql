-- Of the runs $run_ids (a JSON list) that there are: their files, and when each landed, as text that
-- differs once a file is added, replaced or forgotten.
WITH
  asked AS (
    SELECT unnest(from_json($run_ids, '["VARCHAR"]')) AS run_id
  ),

  files AS (
    SELECT DISTINCT run_id, source_id FROM run_facts SEMI JOIN asked USING (run_id)
  )

SELECT
  run_id,
  coalesce(string_agg(concat_ws(' ', source_id, sources.ingested_at), ', ' ORDER BY source_id), '')
    AS state
FROM runs
LEFT JOIN files USING (run_id)
LEFT JOIN sources USING (source_id)
WHERE run_id IN (FROM asked)
GROUP BY run_id
ORDER BY min(runs.rowid);
