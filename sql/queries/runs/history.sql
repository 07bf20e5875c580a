-- Wall times of the series that one run is in, in order of time.
SELECT point.*, point.run_id = $run_id AS is_own
FROM (
  SELECT unnest(series) AS point
  FROM metric_series
  WHERE app = (SELECT app FROM runs WHERE run_id = $run_id) AND metric = 'wall_seconds'
    AND list_contains(list_transform(series, lambda p: p.run_id), $run_id)
)
ORDER BY point.started_at, point.run_id;
