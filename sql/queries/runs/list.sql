-- Runs, those that landed last first, as `latest` is; $app may be NULL.
SELECT r.run_id, r.app, r.version, r.machine, t.stated_at AS started_at, r.nodes, r.ranks, r.threads,
  r.problem_size, r.wall_seconds, r.tags['exit_code'] AS exit_code, r.tags,
  t.landed_at AS ingested_at
FROM runs AS r
JOIN _run_times AS t USING (run_id)
WHERE $app IS NULL OR r.app = $app
ORDER BY t.landed_at DESC NULLS LAST, t.position DESC, r.run_id;
