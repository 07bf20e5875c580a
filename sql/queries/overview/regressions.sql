-- The latest $number changes for the worse: one row a run, with its clearest metric. Unless $every,
-- only in the times of whole runs.
WITH
  worse AS (
    SELECT
      *,
      count(*) OVER (PARTITION BY app, fields, run_id) - 1 AS others,
      row_number() OVER (
        PARTITION BY app, fields, run_id
        ORDER BY metric <> 'wall_seconds', metric NOT LIKE 'functions:%', NOT starts_with(metric, 'seconds:'), p_value
      ) AS place
    FROM change_points
    WHERE direction = 'worse' AND ($every OR metric IN ('wall_seconds', 'functions:seconds'))
  )

SELECT app, machine, metric, unit, run_id, version, started_at, "before", "after", change, p_value,
  others
FROM worse
WHERE place = 1
ORDER BY started_at DESC, run_id
LIMIT $number;
