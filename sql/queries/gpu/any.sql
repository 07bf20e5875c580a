-- Whether devices worked in one run.
SELECT EXISTS (FROM _gpu_sums WHERE run_id = $run_id);
