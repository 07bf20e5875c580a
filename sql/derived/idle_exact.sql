-- Exact runtime work, by worker and time.
WITH
  recorded AS MATERIALIZED (
    SELECT r, worker, runtime_intervals.t_start, runtime_intervals.t_end
    FROM runtime_intervals
    JOIN _idle_run USING (run_id)
    WHERE total_ns IS NULL AND runtime_intervals.t_start < runtime_intervals.t_end
  )

SELECT w, recorded.t_start - ahead AS p, recorded.t_end - ahead AS q
FROM recorded
JOIN _idle_worker USING (r, worker)
ORDER BY w, p;
