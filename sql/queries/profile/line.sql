-- The line of its source file at which a function begins in the newest of some runs, as far as their
-- tools state it. One row.
SELECT max(source_line) AS line
FROM (
  SELECT source_line
  FROM fn_timings
  WHERE function = $function AND list_contains(CAST($runs AS VARCHAR[]), run_id)
  UNION ALL
  SELECT source_line
  FROM pmu_samples
  WHERE _path_parts(region)[-1] = $function AND list_contains(CAST($runs AS VARCHAR[]), run_id)
);
