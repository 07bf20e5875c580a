-- Ingested files, the latest first; $run_id may be NULL.
SELECT s.source_id, s.path, s.reader, s.rows, s.bytes, s.ingested_at, s.left_out, s.repeats, s.sha256,
  s.pwh_version
FROM sources AS s
WHERE $run_id IS NULL
  OR s.source_id IN (SELECT source_id FROM run_facts WHERE run_id = $run_id)
ORDER BY s.ingested_at DESC, s.path;
