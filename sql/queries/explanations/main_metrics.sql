-- The application of a run, and by what metrics it is judged.
SELECT
  app,
  CASE WHEN metric IS NULL THEN (
    SELECT coalesce(list(metric), [])
    FROM run_metrics
    WHERE run_id = $run_id AND NOT _is_size(metric)
  ) ELSE [metric] END AS metrics
FROM _main_metrics
WHERE run_id = $run_id;
