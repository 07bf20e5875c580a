-- Measured times of a set of runs by count: of each function, and of the program, their sum (where
-- function is NULL).
WITH
  points AS (
    SELECT
      function, kind, in_program,
      unnest(list_zip(x, y)) AS point
    FROM scaling_series
    WHERE app IS NOT DISTINCT FROM $app AND version IS NOT DISTINCT FROM $version
      AND machine IS NOT DISTINCT FROM $machine
  )

SELECT function, kind, CAST(point[1] AS BIGINT) AS parallelism, point[2] AS seconds
FROM points
UNION ALL
SELECT NULL, NULL, CAST(point[1] AS BIGINT), sum(point[2])
FROM points
WHERE in_program
GROUP BY point[1]
ORDER BY function NULLS FIRST, parallelism;
