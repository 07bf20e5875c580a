-- The pieces of the idle intervals of the runs in $runs.
INSERT INTO idle_segments BY NAME
SELECT run_id, source_id, mode, latency_rule, worker, t_start, t_end, class
FROM _idle_pieces($runs, NULL, NULL, false)
JOIN _idle_run USING (run_id);
