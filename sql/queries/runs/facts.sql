-- What is known of one run.
SELECT app, version, machine, started_at, nodes, ranks, threads, problem_size, wall_seconds, tags
FROM runs
WHERE run_id = $run_id;
