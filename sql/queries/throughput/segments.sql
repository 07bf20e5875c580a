-- Segments of a run, those with most cycles to gain first, then, where not measured, those with most
-- predicted cycles (or those of the tightest bound); over all executions.
SELECT
  thread, segment, address, function, source_file, source_line, executions, instructions, predicted,
  low, high, measured, width_bound, critical_path_bound, unit_bound, serialising_bound,
  tightest_bound, predicted_cycles, cycles_to_gain, model, core, flags
FROM throughput_predictions
WHERE run_id = $run_id
ORDER BY
  cycles_to_gain DESC NULLS LAST,
  coalesce(executions, 1) * coalesce(predicted_cycles, instructions / tightest_bound) DESC NULLS LAST,
  thread, segment;
