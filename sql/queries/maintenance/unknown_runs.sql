-- Runs that have rows, but are not in the table runs, or whose rows are of a file that is there and
-- have no facts, each with the tables that have such rows of it, and whether it is in runs.
WITH
  traced ("table", run_id, source_id) AS (
    SELECT DISTINCT 'bb_blocks', run_id, source_id FROM bb_blocks
    UNION ALL
    SELECT DISTINCT 'bb_dependences', run_id, source_id FROM bb_dependences
    UNION ALL
    SELECT DISTINCT 'bb_edges', run_id, source_id FROM bb_edges
    UNION ALL
    SELECT DISTINCT 'bb_launches', run_id, source_id FROM bb_launches
    UNION ALL
    SELECT DISTINCT 'bb_opcodes', run_id, source_id FROM bb_opcodes
    UNION ALL
    SELECT DISTINCT 'bb_visits', run_id, source_id FROM bb_visits
    UNION ALL
    SELECT DISTINCT 'fn_timings', run_id, source_id FROM fn_timings
    UNION ALL
    SELECT DISTINCT 'idle_intervals', run_id, source_id FROM idle_intervals
    UNION ALL
    SELECT DISTINCT 'idle_latency', run_id, source_id FROM idle_latency
    UNION ALL
    SELECT DISTINCT 'idle_segments', run_id, source_id FROM idle_segments
    UNION ALL
    SELECT DISTINCT 'metrics', run_id, source_id FROM metrics
    UNION ALL
    SELECT DISTINCT 'nodes', run_id, source_id FROM nodes
    UNION ALL
    SELECT DISTINCT 'pmu_samples', run_id, source_id FROM pmu_samples
    UNION ALL
    SELECT DISTINCT 'runtime_intervals', run_id, source_id FROM runtime_intervals
    UNION ALL
    SELECT DISTINCT 'segments', run_id, source_id FROM segments
    UNION ALL
    SELECT DISTINCT 'task_data', run_id, source_id FROM task_data
    UNION ALL
    SELECT DISTINCT 'task_inputs', run_id, source_id FROM task_inputs
    UNION ALL
    SELECT DISTINCT 'tasks', run_id, source_id FROM tasks
    UNION ALL
    SELECT DISTINCT 'transfers', run_id, source_id FROM transfers
    UNION ALL
    SELECT DISTINCT 'workers', run_id, source_id FROM workers
  )

SELECT
  run_id, list(DISTINCT "table" ORDER BY "table") AS tables,
  run_id IN (SELECT run_id FROM runs) AS is_known
FROM traced
WHERE run_id NOT IN (SELECT run_id FROM runs)
  OR (
    source_id IN (SELECT source_id FROM sources)
    AND run_id NOT IN (SELECT run_id FROM run_facts)
  )
GROUP BY run_id
ORDER BY run_id;
