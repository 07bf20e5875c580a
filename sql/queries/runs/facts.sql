-- What is known of one run.
SELECT
  app, version, machine, "commit", branch,
  _commit_url("commit") AS url,
  t.stated_at AS started_at, nodes, ranks, threads, problem_size, wall_seconds, tags
FROM runs AS r
JOIN _run_times AS t USING (run_id)
WHERE run_id = $run_id;
