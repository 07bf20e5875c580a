-- Why is the slowest code slow: which property of its instructions costs most?
--
-- The ten stretches with most cycles per instruction. A factor of 2 says that this property alone
-- doubles the time of an instruction against a typical stretch of code.
WITH
  slowest AS (
    SELECT run_id, thread, segment, predicted
    FROM throughput_predictions
    WHERE predicted IS NOT NULL
    ORDER BY predicted
    LIMIT 10
  )
SELECT
  app, s.run_id, s.segment,
  any_value(instructions) AS instructions,
  round(any_value(predicted), 2) AS instructions_per_cycle,
  arg_max(feature_group, factor) AS slowed_most_by,
  round(max(factor), 2) AS factor
FROM slowest AS s
JOIN throughput_effects AS e
  ON s.run_id = e.run_id AND s.segment = e.segment AND s.thread IS NOT DISTINCT FROM e.thread
JOIN runs ON s.run_id = runs.run_id
GROUP BY app, s.run_id, s.thread, s.segment
ORDER BY any_value(predicted);
