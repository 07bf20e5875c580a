-- How many tasks and idle intervals of one run are within [$t0, $t1), at least in part.
-- $clock0 and $clock1 are the window on the clocks of all workers, by which DuckDB skips most tasks.
SELECT
  (
    SELECT count(*)
    FROM idle_intervals
    WHERE run_id = $run_id AND t_end > $t0 AND t_start < $t1
  ) + (
    SELECT count(*)
    FROM tasks AS t
    JOIN _worker_lanes AS l ON t.run_id = l.run_id AND t.worker = l.worker
    WHERE t.run_id = $run_id AND t.t_end > $clock0 AND t.t_start < $clock1
      AND t.t_end - l.ahead > $t0 AND t.t_start - l.ahead < $t1
  ) AS pieces;
