-- What is known of one run.
SELECT
  app, version, machine, "commit", branch,
  _commit_url("commit") AS url,
  started_at, nodes, ranks, threads, problem_size, wall_seconds, tags
FROM runs AS r
WHERE run_id = $run_id;
