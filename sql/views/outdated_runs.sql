-- Runs whose rows are others than those that their answers were computed from: somebody wrote some by
-- hand, or deleted some.

-- The rows of each landing table by run and file, those that retention deleted included.
CREATE OR REPLACE VIEW _landed_rows AS
SELECT 'bb_blocks' AS "table", run_id, source_id, count(*) AS rows FROM bb_blocks GROUP BY run_id, source_id
UNION ALL
SELECT 'bb_dependences' AS "table", run_id, source_id, count(*) AS rows FROM bb_dependences GROUP BY run_id, source_id
UNION ALL
SELECT 'bb_edges' AS "table", run_id, source_id, count(*) AS rows FROM bb_edges GROUP BY run_id, source_id
UNION ALL
SELECT 'bb_launches' AS "table", run_id, source_id, count(*) AS rows FROM bb_launches GROUP BY run_id, source_id
UNION ALL
SELECT 'bb_opcodes' AS "table", run_id, source_id, count(*) AS rows FROM bb_opcodes GROUP BY run_id, source_id
UNION ALL
SELECT 'bb_visits' AS "table", run_id, source_id, count(*) AS rows FROM bb_visits GROUP BY run_id, source_id
UNION ALL
SELECT 'fn_timings' AS "table", run_id, source_id, count(*) AS rows FROM fn_timings GROUP BY run_id, source_id
UNION ALL
SELECT 'gpu_gaps' AS "table", run_id, source_id, count(*) AS rows FROM gpu_gaps GROUP BY run_id, source_id
UNION ALL
SELECT 'gpu_late' AS "table", run_id, source_id, count(*) AS rows FROM gpu_late GROUP BY run_id, source_id
UNION ALL
SELECT 'idle_intervals' AS "table", run_id, source_id, count(*) AS rows FROM idle_intervals GROUP BY run_id, source_id
UNION ALL
SELECT 'idle_latency' AS "table", run_id, source_id, count(*) AS rows FROM idle_latency GROUP BY run_id, source_id
UNION ALL
SELECT 'idle_segments' AS "table", run_id, source_id, count(*) AS rows FROM idle_segments GROUP BY run_id, source_id
UNION ALL
SELECT 'metrics' AS "table", run_id, source_id, count(*) AS rows FROM metrics GROUP BY run_id, source_id
UNION ALL
SELECT 'nodes' AS "table", run_id, source_id, count(*) AS rows FROM nodes GROUP BY run_id, source_id
UNION ALL
SELECT 'pmu_samples' AS "table", run_id, source_id, count(*) AS rows FROM pmu_samples GROUP BY run_id, source_id
UNION ALL
SELECT 'runtime_intervals' AS "table", run_id, source_id, count(*) AS rows FROM runtime_intervals GROUP BY run_id, source_id
UNION ALL
SELECT 'segments' AS "table", run_id, source_id, count(*) AS rows FROM segments GROUP BY run_id, source_id
UNION ALL
SELECT 'task_data' AS "table", run_id, source_id, count(*) AS rows FROM task_data GROUP BY run_id, source_id
UNION ALL
SELECT 'task_inputs' AS "table", run_id, source_id, count(*) AS rows FROM task_inputs GROUP BY run_id, source_id
UNION ALL
SELECT 'tasks' AS "table", run_id, source_id, count(*) AS rows FROM tasks GROUP BY run_id, source_id
UNION ALL
SELECT 'transfers' AS "table", run_id, source_id, count(*) AS rows FROM transfers GROUP BY run_id, source_id
UNION ALL
SELECT 'workers' AS "table", run_id, source_id, count(*) AS rows FROM workers GROUP BY run_id, source_id
UNION ALL
SELECT "table", run_id, source_id, rows FROM forgotten_rows;

CREATE OR REPLACE VIEW outdated_runs AS -- One row is a run to which rows were added by hand, or from which some were deleted, since what is stored of it was computed. pwh refresh computes it anew.
WITH
  found AS (
    SELECT run_id, "table", CAST(sum(rows) AS BIGINT) AS rows
    FROM _landed_rows
    WHERE "table" NOT IN ('idle_intervals', 'idle_latency', 'idle_segments')
    GROUP BY run_id, "table"
  ),

  kept AS (
    SELECT run_id, entry.key AS "table", entry.value AS rows
    FROM (SELECT run_id, unnest(map_entries(rows)) AS entry FROM kept_runs)
  ),

  differing AS (
    SELECT run_id, list("table" ORDER BY "table") AS tables
    FROM found
    FULL JOIN kept USING (run_id, "table")
    WHERE found.rows IS DISTINCT FROM kept.rows
    GROUP BY run_id
  )

SELECT r.run_id,
  k.run_id IS NOT NULL AS is_computed, -- Whether anything was computed of it: FALSE for a run written by hand, until pwh refresh.
  coalesce(d.tables, []) AS tables -- Landing tables that have more or fewer rows of it than then.
FROM (SELECT DISTINCT run_id FROM runs) AS r
LEFT JOIN kept_runs AS k ON r.run_id = k.run_id
LEFT JOIN differing AS d ON r.run_id = d.run_id
WHERE d.run_id IS NOT NULL OR k.run_id IS NULL;
