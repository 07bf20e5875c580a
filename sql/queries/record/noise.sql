-- How much the logarithm of the wall time varies between runs of one version of a program, as they
-- were recorded with the same arguments, variables and tools on the same machine, and the degrees of
-- freedom that this is known with. One row; 0 of both where there are no such runs.
SELECT
  coalesce(sum((runs - 1) * variance) / nullif(sum(runs - 1), 0), 0) AS variance,
  coalesce(sum(runs - 1), 0)::DOUBLE AS freedom
FROM (
  SELECT count(*) AS runs, var_samp(ln(wall_seconds)) AS variance
  FROM runs
  WHERE app = $app AND machine = $machine AND wall_seconds > 0
    AND run_id NOT IN (SELECT run_id FROM failed_runs)
    AND list_transform(['arguments', 'variables', 'profiler'], lambda name: coalesce(tags[name], ''))
      = $configuration
  GROUP BY coalesce(version, run_id)
  HAVING count(*) > 1
);
