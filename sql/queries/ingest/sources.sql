-- Ingested files of $reader whose path contains $text, the latest first; both may be NULL.
SELECT s.ingested_at, s.path, s.reader, s.rows, s.bytes, s.left_out, s.repeats, s.pwh_version, s.source_id
FROM sources AS s
WHERE ($reader IS NULL OR s.reader = $reader)
  AND ($text IS NULL OR contains(lower(s.path), lower($text)))
ORDER BY s.ingested_at DESC, s.path;
