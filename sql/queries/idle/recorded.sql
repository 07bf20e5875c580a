-- Whether the trace of one run records what tasks read, and work of the runtime itself.
SELECT
  EXISTS (FROM task_inputs WHERE run_id = $run_id) AS inputs,
  EXISTS (FROM runtime_intervals WHERE run_id = $run_id) AS runtime;
