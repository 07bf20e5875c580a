-- The runs of an application, version and machine.
SELECT run_id
FROM runs
WHERE app IS NOT DISTINCT FROM $app AND version IS NOT DISTINCT FROM $version
  AND machine IS NOT DISTINCT FROM $machine;
