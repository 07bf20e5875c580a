-- What a reader landed from a path before, the longest first: bytes, hash, day and run.
SELECT
  sources.bytes, sources.sha256, strftime(max(sources.ingested_at), '%Y-%m-%d') AS ingested,
  CASE WHEN min(run_facts.run_id) = max(run_facts.run_id) THEN 'the run ' || min(run_facts.run_id)
    ELSE count(DISTINCT run_facts.run_id) || ' runs' END AS runs
FROM sources
INNER JOIN run_facts USING (source_id)
WHERE sources.path = $path AND sources.reader = $reader
GROUP BY sources.bytes, sources.sha256
ORDER BY sources.bytes DESC;
