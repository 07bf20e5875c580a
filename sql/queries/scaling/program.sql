-- A program's time, speed-up, efficiency and core hours at each of $counts; speed-up and efficiency
-- are those of $scaling (weak or strong), where the parameter is a count: of $kind. NULL for what is
-- known of the set.
SELECT
  parallelism, predicted, low, high, speedup, efficiency, core_hours, basis,
  parallelism IN (
    SELECT parallelism
    FROM program_times
    WHERE set_id = $set_id
  ) AS measured,
  is_guess, flags
FROM _program_predict(CAST($counts AS BIGINT[]), $scaling, $kind)
WHERE set_id = $set_id
ORDER BY parallelism;
