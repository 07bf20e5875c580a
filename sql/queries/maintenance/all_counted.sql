-- Whether what is stored was computed from all rows that there are, as far as that shows without
-- reading them: outdated_runs has the runs of which it was not.
WITH
  numbers AS (
    SELECT count(*) AS rows FROM bb_blocks
    UNION ALL
    SELECT count(*) AS rows FROM bb_dependences
    UNION ALL
    SELECT count(*) AS rows FROM bb_edges
    UNION ALL
    SELECT count(*) AS rows FROM bb_launches
    UNION ALL
    SELECT count(*) AS rows FROM bb_opcodes
    UNION ALL
    SELECT count(*) AS rows FROM bb_visits
    UNION ALL
    SELECT count(*) AS rows FROM fn_timings
    UNION ALL
    SELECT count(*) AS rows FROM gpu_gaps
    UNION ALL
    SELECT count(*) AS rows FROM gpu_late
    UNION ALL
    SELECT count(*) AS rows FROM metrics
    UNION ALL
    SELECT count(*) AS rows FROM nodes
    UNION ALL
    SELECT count(*) AS rows FROM pmu_samples
    UNION ALL
    SELECT count(*) AS rows FROM runtime_intervals
    UNION ALL
    SELECT count(*) AS rows FROM segments
    UNION ALL
    SELECT count(*) AS rows FROM task_data
    UNION ALL
    SELECT count(*) AS rows FROM task_inputs
    UNION ALL
    SELECT count(*) AS rows FROM tasks
    UNION ALL
    SELECT count(*) AS rows FROM transfers
    UNION ALL
    SELECT count(*) AS rows FROM workers
    UNION ALL
    SELECT sum(rows) AS rows FROM forgotten_rows
  )

SELECT
  coalesce(sum(rows), 0) = (SELECT coalesce(sum(list_sum(map_values(rows))), 0) FROM kept_runs)
  AND NOT EXISTS (FROM runs WHERE run_id NOT IN (SELECT run_id FROM kept_runs))
FROM numbers;
