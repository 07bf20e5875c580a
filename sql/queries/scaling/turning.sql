-- Between which counts the program of a set of runs is fastest.
SELECT fastest, low, high, flags
FROM program_turning_points
WHERE app IS NOT DISTINCT FROM $app AND version IS NOT DISTINCT FROM $version
  AND machine IS NOT DISTINCT FROM $machine;
