-- The rows of throughput_predictions of one run.
FROM throughput_predictions
WHERE run_id = $run_id;
