-- A program's time, speed-up, efficiency and core hours at each of $counts; speed-up and efficiency
-- are those of $scaling (weak or strong).
WITH
  predictions AS (
    SELECT
      t.*,
      -- the count that they are against, whether s.scaling is weak or strong
      round(t.parallelism * t.efficiency / t.speedup) AS smallest,
      CASE WHEN s.scaling = 'weak' THEN t.efficiency ELSE t.speedup END AS faster
    FROM program_predict(CAST($counts AS BIGINT[])) AS t
    JOIN scaling_sets AS s ON t.set_id = s.set_id
    WHERE s.set_id = $set_id AND t.set_id = $set_id
  )

SELECT
  parallelism, predicted, low, high,
  faster * CASE WHEN $scaling = 'weak' THEN parallelism / smallest ELSE 1 END AS speedup,
  faster * CASE WHEN $scaling = 'weak' THEN 1 ELSE smallest / parallelism END AS efficiency,
  core_hours, basis,
  parallelism IN (
    SELECT parallelism
    FROM program_times
    WHERE set_id = $set_id
  ) AS measured,
  flags
FROM predictions
ORDER BY parallelism;
