-- Sources that have more or fewer rows than landed. Idle times are derived from the tasks of a source,
-- or landed themselves.
WITH
  landed AS (
    SELECT source_id FROM bb_blocks
    UNION ALL
    SELECT source_id FROM bb_dependences
    UNION ALL
    SELECT source_id FROM bb_edges
    UNION ALL
    SELECT source_id FROM bb_launches
    UNION ALL
    SELECT source_id FROM bb_opcodes
    UNION ALL
    SELECT source_id FROM bb_visits
    UNION ALL
    SELECT source_id FROM fn_timings
    UNION ALL
    SELECT source_id FROM metrics
    UNION ALL
    SELECT source_id FROM nodes
    UNION ALL
    SELECT source_id FROM pmu_samples
    UNION ALL
    SELECT source_id FROM runtime_intervals
    UNION ALL
    SELECT source_id FROM segments
    UNION ALL
    SELECT source_id FROM task_data
    UNION ALL
    SELECT source_id FROM task_inputs
    UNION ALL
    SELECT source_id FROM tasks
    UNION ALL
    SELECT source_id FROM transfers
    UNION ALL
    SELECT source_id FROM workers
  ),

  idle AS (
    SELECT source_id FROM idle_intervals
    UNION ALL
    SELECT source_id FROM idle_latency
    UNION ALL
    SELECT source_id FROM idle_segments
  ),

  counted AS (
    SELECT source_id, count(*) AS n FROM landed GROUP BY source_id
  ),

  counted_idle AS (
    SELECT source_id, count(*) AS n_idle FROM idle GROUP BY source_id
  )

SELECT path, rows, coalesce(n, 0) AS found
FROM sources
LEFT JOIN counted USING (source_id)
LEFT JOIN counted_idle USING (source_id)
WHERE rows NOT IN (coalesce(n, 0), coalesce(n, 0) + coalesce(n_idle, 0))
ORDER BY path;
