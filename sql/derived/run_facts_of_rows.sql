-- Insert what the rows of some files, of which {rows} is the condition, state of their runs: the
-- wall time that perf counted as duration_time, and the start, where times of tasks or samples count
-- nanoseconds since 1970.

INSERT INTO run_facts BY NAME
WITH
  stated AS (
    SELECT source_id, run_id, min(t_start) AS t_first, CAST(NULL AS DOUBLE) AS wall_seconds
    FROM tasks
    WHERE
      {rows}
      -- from 2000 to 2100
      AND t_start BETWEEN 946_684_800_000_000_000 AND 4_102_444_800_000_000_000
    GROUP BY source_id, run_id
    UNION ALL
    SELECT source_id, run_id, min(t_start), NULL
    FROM pmu_samples
    WHERE
      {rows}
      AND t_start BETWEEN 946_684_800_000_000_000 AND 4_102_444_800_000_000_000
    GROUP BY source_id, run_id
    UNION ALL
    SELECT
      source_id, run_id, NULL,
      -- several processors count the same time
      CASE WHEN count(DISTINCT coalesce(cpu, -1)) = 1 THEN sum(value) / 1e9 END
    FROM pmu_samples
    WHERE
      {rows}
      -- first the test that costs little
      AND event ILIKE '%duration_time%' AND _event_name(event) = 'duration_time'
    GROUP BY source_id, run_id
  ),

  found AS (
    SELECT
      source_id,
      run_id,
      make_timestamptz(min(t_first) // 1000) AS started_at,
      max(wall_seconds) FILTER (wall_seconds > 0) AS wall_seconds
    FROM stated
    GROUP BY source_id, run_id
  )

SELECT
  run_id, source_id, 'rows' AS stated_by, 0 AS position, started_at, wall_seconds,
  MAP {{}} AS tags
FROM found
WHERE started_at IS NOT NULL OR wall_seconds IS NOT NULL;
