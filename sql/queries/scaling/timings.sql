-- The rows of fn_timings of one set of runs: of an application, version and machine.
FROM fn_timings
SEMI JOIN (
  FROM runs
  WHERE app IS NOT DISTINCT FROM $app AND version IS NOT DISTINCT FROM $version
    AND machine IS NOT DISTINCT FROM $machine
) USING (run_id);
