-- Runs, the latest first; $app may be NULL.
SELECT r.run_id, r.app, r.version, r.machine, r.started_at, r.nodes, r.ranks, r.threads,
  r.problem_size, r.wall_seconds, r.tags['exit_code'] AS exit_code, r.tags,
  max(s.ingested_at) AS ingested_at
FROM runs AS r
JOIN run_facts AS f USING (run_id)
JOIN sources AS s USING (source_id)
WHERE $app IS NULL OR r.app = $app
GROUP BY ALL
ORDER BY ingested_at DESC, r.run_id;
