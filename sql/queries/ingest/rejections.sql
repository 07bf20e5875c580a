-- Files that pwh ingest rejected and that have not landed since, the latest first.
SELECT path, rejected_at, reader, problem, place, expected, hint
FROM rejections
ORDER BY rejected_at DESC, path;
