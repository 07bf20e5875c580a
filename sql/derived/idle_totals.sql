-- Runtime work known only as a total within a window, by worker and time.
WITH
  recorded AS MATERIALIZED (
    SELECT r, worker, runtime_intervals.t_start, runtime_intervals.t_end, total_ns
    FROM runtime_intervals
    JOIN _idle_run USING (run_id)
    WHERE total_ns IS NOT NULL AND runtime_intervals.t_start < runtime_intervals.t_end
  )

SELECT w, recorded.t_start - ahead AS p, recorded.t_end - ahead AS q, total_ns
FROM recorded
JOIN _idle_worker USING (r, worker)
ORDER BY w, p;
