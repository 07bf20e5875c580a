-- Work of the runtime, by worker and time; total_ns: of which only the sum within that time is known.
WITH
  recorded AS MATERIALIZED (
    SELECT r, worker, runtime_intervals.t_start, runtime_intervals.t_end, total_ns
    FROM runtime_intervals
    JOIN _idle_run USING (run_id)
    WHERE runtime_intervals.t_start < runtime_intervals.t_end
  )

SELECT w, recorded.t_start - ahead AS p, recorded.t_end - ahead AS q, total_ns
FROM recorded
JOIN _idle_worker USING (r, worker)
ORDER BY w, p;
