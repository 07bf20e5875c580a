-- The files of runs whose scalars this pwh ($revision) has not kept: rows written by hand, or by
-- another pwh.
CREATE TEMP TABLE _keep AS
WITH
  missing AS (
    SELECT run_id
    FROM runs
    ANTI JOIN (FROM kept_runs WHERE revision = $revision) AS kept USING (run_id)
  ),

  files AS (
    SELECT run_id, source_id FROM run_facts
    UNION
    SELECT run_id, source_id FROM pmu_samples
    UNION
    SELECT run_id, source_id FROM fn_timings
    UNION
    SELECT run_id, source_id FROM nodes
    UNION
    SELECT run_id, source_id FROM workers
    UNION
    SELECT run_id, source_id FROM tasks
    UNION
    SELECT run_id, source_id FROM bb_launches
    UNION
    SELECT run_id, source_id FROM bb_visits
    UNION
    SELECT run_id, source_id FROM bb_blocks
    UNION
    SELECT run_id, source_id FROM segments
    UNION
    SELECT run_id, source_id FROM metrics
  )

SELECT run_id, coalesce(source_id, 0) AS source_id
FROM missing
LEFT JOIN files USING (run_id);
