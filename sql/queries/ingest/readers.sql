-- Readers that were used: files, rows and bytes of each, the most rows first.
SELECT reader, count(*) AS files, CAST(sum(rows) AS BIGINT) AS rows,
  CAST(sum(bytes) AS BIGINT) AS bytes, max(ingested_at) AS last_at
FROM sources
GROUP BY reader
ORDER BY rows DESC, reader;
