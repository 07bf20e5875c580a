-- Feature contributions (Shapley values) to the predictions of a run's segments, by group of
-- features: the factor on the cycles of one instruction, a geometric mean weighted by executed
-- instructions, and in how many segments it slows down the most. Segments that are short, implausible
-- or never executed are left out, as in threads.
WITH
  effects AS (
    SELECT
      feature_group, factor, coalesce(executions, 1) * instructions AS instructions,
      factor > 1 AND factor = max(factor) OVER (PARTITION BY thread, segment) AS is_largest
    FROM throughput_effects AS e
    WHERE run_id = $run_id AND coalesce(executions, 1) > 0
      AND NOT EXISTS (
        SELECT 1
        FROM throughput_predictions AS p
        WHERE p.run_id = $run_id AND p.segment = e.segment AND p.thread IS NOT DISTINCT FROM e.thread
          AND list_has_any(flag_codes(p.flags), ['short', 'implausible'])
      )
  )

SELECT
  feature_group,
  exp(sum(instructions * ln(factor)) / sum(instructions)) AS factor,
  count(*) FILTER (is_largest) AS largest_in,
  count(*) AS segments
FROM effects
GROUP BY feature_group
ORDER BY factor DESC, feature_group;
