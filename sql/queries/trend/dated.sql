-- The runs in the series of an application, and of how many only the time of a file says when they
-- started: when it was last modified.
WITH
  members AS (
    SELECT DISTINCT unnest(series).run_id AS run_id
    FROM metric_series
    WHERE app = $app
  ),

  starts AS (
    SELECT run_id, bool_and(stated_by = 'file_time') AS is_guessed
    FROM run_facts
    WHERE run_id IN (SELECT run_id FROM members) AND started_at IS NOT NULL
    GROUP BY run_id
  )

SELECT count(*) AS runs, count(*) FILTER (is_guessed) AS guessed
FROM starts
HAVING guessed > 0;
