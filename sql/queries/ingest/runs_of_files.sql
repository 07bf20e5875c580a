-- Runs that the files $paths are of, the latest first.
SELECT f.run_id
FROM run_facts AS f
JOIN sources AS s USING (source_id)
WHERE s.path IN (SELECT unnest(CAST($paths AS VARCHAR[])))
GROUP BY f.run_id
ORDER BY max(s.ingested_at) DESC, min(f.position), f.run_id;
