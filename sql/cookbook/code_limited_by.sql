-- What limits the code on its core: front end, dependences or functional units?
--
-- Stretches of machine code by their tightest bound, each as often as the program executes it (once
-- where that is not known). Dependences call for more independent work (unrolling, several
-- accumulators), units for other instructions, the front end for fewer instructions.
SELECT
  app, run_id, component AS limited_by,
  count(*) AS stretches,
  round(sum(coalesce(executions, 1) * predicted_cycles)) AS predicted_cycles,
  round(
    100 * sum(coalesce(executions, 1) * predicted_cycles)
      / sum(sum(coalesce(executions, 1) * predicted_cycles)) OVER (PARTITION BY run_id), 1
  ) AS percent_of_cycles
FROM throughput_contributions
JOIN runs USING (run_id)
WHERE is_tightest
GROUP BY app, run_id, component
ORDER BY app, run_id, sum(coalesce(executions, 1) * predicted_cycles) DESC;
