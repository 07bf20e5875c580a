-- Idle intervals of one run, the longest first; begin counts from the run's first event.
WITH
  idle AS (
    FROM worker_idle WHERE run_id = $run_id
  ),
  origin AS (
    SELECT min(t_begin) AS t FROM _worker_windows WHERE run_id = $run_id
  )
SELECT i.worker, i.kind, (i.t_start - origin.t) / 1e9 AS begin_seconds, i.seconds, i.task
FROM idle AS i, origin
ORDER BY i.seconds DESC, i.worker, i.t_start;
