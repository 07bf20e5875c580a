-- The application of a run, and by what metric it is judged.
SELECT app, metric
FROM _main_metrics
WHERE run_id = $run_id;
