-- How the diagnosis and the speed of an application changed from version to version.
SELECT * EXCLUDE (app)
FROM tuning_history
WHERE app = $app
ORDER BY machine, problem_size, nodes, ranks, threads, step;
