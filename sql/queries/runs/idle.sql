-- The longest idle interval of one run; begin counts from the run's first event.
SELECT
  i.worker, i.kind,
  (i.t_start - (SELECT min(t_begin) FROM _worker_windows WHERE run_id = $run_id)) / 1e9
    AS begin_seconds,
  (i.t_end - i.t_start) / 1e9 AS seconds, i.task
FROM idle_intervals AS i
WHERE i.run_id = $run_id
ORDER BY i.t_end - i.t_start DESC, i.worker, i.t_start
LIMIT 1;
