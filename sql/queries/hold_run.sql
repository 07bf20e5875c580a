-- The rows of one run in the view $view.
FROM query_table($view)
WHERE run_id = $run_id;
