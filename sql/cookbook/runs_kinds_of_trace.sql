-- Which kinds of trace are there of each program, and in how many runs?
WITH
  traces AS (
    SELECT DISTINCT run_id, 'counters' AS kind FROM pmu_samples
    UNION ALL
    SELECT DISTINCT run_id, 'function times' FROM fn_timings
    UNION ALL
    SELECT DISTINCT run_id, 'tasks' FROM tasks
    UNION ALL
    SELECT DISTINCT run_id, 'basic blocks' FROM bb_visits
    UNION ALL
    SELECT DISTINCT run_id, 'machine code' FROM segments
  )
SELECT
  app,
  count(DISTINCT run_id) AS runs,
  count(*) FILTER (kind = 'function times') AS with_function_times,
  count(*) FILTER (kind = 'counters') AS with_counters,
  count(*) FILTER (kind = 'tasks') AS with_tasks,
  count(*) FILTER (kind = 'basic blocks') AS with_basic_blocks,
  count(*) FILTER (kind = 'machine code') AS with_machine_code
FROM runs
LEFT JOIN traces USING (run_id)
GROUP BY app
ORDER BY runs DESC, app;
