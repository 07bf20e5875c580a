-- Measured times of a set of runs by count: of each function, and of the program (where function is
-- NULL).
WITH
  points AS (
    SELECT function, kind, unnest(x) AS parallelism, unnest(y) AS seconds
    FROM scaling_series
    WHERE app IS NOT DISTINCT FROM $app AND version IS NOT DISTINCT FROM $version
      AND machine IS NOT DISTINCT FROM $machine
  )

SELECT function, kind, CAST(parallelism AS BIGINT) AS parallelism, seconds
FROM points
UNION ALL
SELECT NULL, NULL, parallelism, seconds
FROM program_times
WHERE app IS NOT DISTINCT FROM $app AND version IS NOT DISTINCT FROM $version
  AND machine IS NOT DISTINCT FROM $machine
ORDER BY function NULLS FIRST, parallelism;
