-- Runtime work known only as a total within a window, by worker and time.
SELECT w, runtime_intervals.t_start - ahead AS p, runtime_intervals.t_end - ahead AS q, total_ns
FROM runtime_intervals
JOIN _idle_run USING (run_id)
JOIN _idle_worker USING (r, worker)
WHERE total_ns IS NOT NULL AND runtime_intervals.t_start < runtime_intervals.t_end
ORDER BY w, p;
