-- The pieces of idle intervals on the time axis, of runs with up to $most that end with a task.
INSERT INTO idle_segments BY NAME
SELECT run_id, source_id, mode, latency_rule, worker, t_start, t_end, class
FROM _idle_piece
UNION ALL
SELECT run_id, source_id, mode, latency_rule, worker, t_start, t_end, 'S'
FROM idle_intervals
CROSS JOIN _idle_readings
SEMI JOIN _idle_run USING (run_id)
WHERE kind = 'tail' AND run_id NOT IN (
  SELECT run_id
  FROM idle_intervals
  WHERE kind <> 'tail' AND run_id IN (SELECT run_id FROM _idle_run)
  GROUP BY run_id
  HAVING count(*) > $most
);
