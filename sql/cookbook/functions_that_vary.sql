-- Which functions vary most between repetitions of the same measurement?
--
-- A function whose slowest repetition takes much longer than its fastest needs more repetitions
-- before small changes of it mean anything; often it waits for a disk or for other processes.
SELECT
  app, version, function, parallelism, repetitions,
  round(fastest, 4) AS fastest_seconds,
  round(slowest, 4) AS slowest_seconds,
  round(100 * scatter, 1) AS deviation_percent
FROM scaling_points
WHERE repetitions > 1
ORDER BY scatter DESC
LIMIT 15;
