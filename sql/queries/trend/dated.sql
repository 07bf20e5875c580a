-- The runs in the series of an application whose commits have no date, and of how many only the time
-- of a file says when they started: when it was last modified.
WITH
  members AS (
    SELECT run_id
    FROM _run_places
    SEMI JOIN (FROM _scalars) AS m USING (run_id)
    ANTI JOIN (FROM run_groups WHERE committed_at IS NOT NULL) AS c USING (run_id)
    WHERE app = $app
    WINDOW own AS (PARTITION BY configuration_id)
    -- runs that all started at one time are no series
    QUALIFY count(*) OVER own = 1 OR min(point) OVER own < max(point) OVER own
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
