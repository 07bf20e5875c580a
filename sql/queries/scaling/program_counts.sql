-- Counts at which the program of a set of runs was measured.
SELECT parallelism
FROM program_times
WHERE app IS NOT DISTINCT FROM $app AND version IS NOT DISTINCT FROM $version
  AND machine IS NOT DISTINCT FROM $machine
ORDER BY parallelism;
