-- Of the runs $runs those of the newest version, and how many versions there are. Newest is the
-- version whose first run is the latest, or where dates are missing that with the last name.
WITH
  mine AS (
    SELECT r.run_id, r.app, r.version, r.started_at, v.step
    FROM runs AS r
    LEFT JOIN run_versions AS v USING (run_id)
    WHERE list_contains(CAST($runs AS VARCHAR[]), r.run_id)
  ),

  versions AS (
    SELECT app, version, min(started_at) AS first_at, max(step) AS step
    FROM mine
    GROUP BY app, version
  ),

  newest AS (
    SELECT app, version, count(*) OVER (PARTITION BY 1) AS versions
    FROM (SELECT *, bool_and(first_at IS NOT NULL) OVER (PARTITION BY 1) AS is_dated FROM versions)
    ORDER BY
      CASE WHEN is_dated THEN first_at END DESC, version IS NULL, step DESC, version DESC, app
    LIMIT 1
  )

SELECT m.run_id, m.version, n.versions
FROM mine AS m
JOIN newest AS n
  ON m.app IS NOT DISTINCT FROM n.app AND m.version IS NOT DISTINCT FROM n.version
ORDER BY m.run_id;
