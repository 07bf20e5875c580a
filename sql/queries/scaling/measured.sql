-- Measured times of a set of runs by count: of each function, and of the program (where function is
-- NULL).
WITH
  points AS (
    SELECT function, kind, unnest(x) AS parallelism, unnest(y) AS seconds
    FROM scaling_series
    WHERE set_id = $set_id
  )

SELECT function, kind, CAST(parallelism AS BIGINT) AS parallelism, seconds
FROM points
UNION ALL
SELECT NULL, NULL, parallelism, seconds
FROM program_times
WHERE set_id = $set_id
ORDER BY function NULLS FIRST, parallelism;
