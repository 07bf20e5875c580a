-- What the predicted cycles of a run, over all executions, are spent on: the tightest bound of each
-- segment, and the interplay. Where nothing is predicted, those of its tightest bound.
WITH
  spent AS (
    SELECT component, coalesce(executions, 1) * instructions * cycles_per_instruction AS cycles
    FROM throughput_contributions
    WHERE run_id = $run_id
      AND (is_tightest OR component = 'interplay')
      AND NOT list_has_any(flag_codes(flags), ['short', 'implausible'])
    -- as in throughput_by_thread
    QUALIFY predicted_cycles IS NOT NULL
      OR count(predicted_cycles) OVER (PARTITION BY thread) = 0
  )

SELECT component, sum(cycles) / sum(sum(cycles)) OVER (PARTITION BY 1) AS share, count(*) AS segments
FROM spent
GROUP BY component
HAVING sum(cycles) > 0
ORDER BY share DESC, component;
