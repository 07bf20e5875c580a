-- The rows of fn_timings of one run.
FROM fn_timings WHERE run_id = $run_id;
