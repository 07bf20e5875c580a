-- Exact runtime work, by worker and time.
SELECT w, runtime_intervals.t_start - ahead AS p, runtime_intervals.t_end - ahead AS q
FROM runtime_intervals
JOIN _idle_run USING (run_id)
JOIN _idle_worker USING (r, worker)
WHERE total_ns IS NULL AND runtime_intervals.t_start < runtime_intervals.t_end
ORDER BY w, p;
