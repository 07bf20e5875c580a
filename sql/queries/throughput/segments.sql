-- Segments of a run, those with most cycles to gain first: measured, else predicted.
SELECT
  thread, segment, predicted, low, high, measured, width_bound, critical_path_bound, unit_bound,
  serialising_bound, predicted_cycles, model, flags
FROM throughput_predictions
WHERE run_id = $run_id
ORDER BY predicted_cycles * (coalesce(predicted / measured, 2) - 1) DESC NULLS LAST, thread, segment;
