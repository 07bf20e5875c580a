-- The runs of two versions, $before and $after, of an application on a machine.
SELECT run_id
FROM runs
WHERE app IS NOT DISTINCT FROM $app AND machine IS NOT DISTINCT FROM $machine
  AND (version IS NOT DISTINCT FROM $before OR version IS NOT DISTINCT FROM $after);
