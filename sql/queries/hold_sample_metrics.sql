-- The view sample_metrics over what is held of its runs.
FROM _sample_metrics_of($of);
