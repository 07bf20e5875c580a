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
  )

SELECT count(*) AS runs, count(*) FILTER (t.stated_at IS NULL) AS guessed
FROM members AS m
JOIN _run_times AS t ON m.run_id = t.run_id
HAVING guessed > 0;
