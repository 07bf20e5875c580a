-- Every scalar of one run.
FROM run_metrics
WHERE run_id = $run_id
ORDER BY metric;
