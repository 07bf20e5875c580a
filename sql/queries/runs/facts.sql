-- What is known of one run.
SELECT
  app, version, machine, "commit", branch,
  (
    SELECT any_value(c.url)
    FROM commits AS c
    WHERE c."commit"[:7] = lower(r."commit"[:7]) AND starts_with(c."commit", lower(r."commit"))
  ) AS url,
  t.stated_at AS started_at, nodes, ranks, threads, problem_size, wall_seconds, tags
FROM runs AS r
JOIN _run_times AS t USING (run_id)
WHERE run_id = $run_id;
