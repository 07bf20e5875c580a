-- Whether a run has events that a metric set knows, counted or not, or shares of the peaks of a GPU.
SELECT
  EXISTS (FROM _file_sets WHERE run_id = $run_id AND metric_set IS NOT NULL)
  OR EXISTS (FROM speed_of_light WHERE run_id = $run_id) AS are_known;
