-- Runs of both sides that can be compared: for each configuration that both have, what they have in
-- common and its runs; those with a wall time first, then those with most runs.
WITH
  sides AS (
    SELECT r.configuration, r.run_id, list_contains($runs, r.run_id) AS is_after, f.wall_seconds
    FROM run_configurations AS r
    JOIN runs AS f ON r.run_id = f.run_id
    WHERE list_contains($runs || $against, r.run_id)
  )

SELECT
  configuration AS fields,
  list(run_id ORDER BY list_position($runs, run_id)) FILTER (is_after) AS runs,
  list(run_id ORDER BY list_position($against, run_id)) FILTER (NOT is_after) AS against
FROM sides
GROUP BY configuration
HAVING runs IS NOT NULL AND against IS NOT NULL
ORDER BY
  count(wall_seconds) FILTER (is_after) = 0 OR count(wall_seconds) FILTER (NOT is_after) = 0,
  count(*) DESC, CAST(configuration AS VARCHAR);
