-- Whether a run has events that a metric set knows, counted or not.
SELECT EXISTS (FROM _file_sets WHERE run_id = $run_id AND metric_set IS NOT NULL) AS are_known;
