-- How many processes are worth using: up to where does a program stay half as efficient?
--
-- Efficiency is the speedup over the additional processes. core_hours is the price of a run.
SELECT
  app, version,
  max(parallelism) AS processes,
  round(arg_max(predicted, parallelism), 2) AS seconds,
  round(arg_max(speedup, parallelism), 1) AS speedup,
  round(100 * arg_max(efficiency, parallelism), 1) AS efficiency_percent,
  round(arg_max(core_hours, parallelism), 4) AS core_hours
FROM program_predict([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024])
WHERE efficiency >= 0.5
GROUP BY app, version, machine
HAVING max(parallelism) > 1
ORDER BY app, version;
