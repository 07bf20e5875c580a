-- The two versions that ran last of an application: of $app, else of the one that ran last; of an
-- application without two versions its last two runs. One row or none.
WITH
  version AS (
    SELECT
      app, version, max(started_at) AS started_at,
      row_number() OVER (PARTITION BY app ORDER BY max(started_at) DESC, version DESC) AS place
    FROM runs
    WHERE app IS NOT NULL AND started_at IS NOT NULL AND version IS NOT NULL
      AND ($app IS NULL OR app = $app)
    GROUP BY app, version
  ),

  run AS (
    SELECT
      app, run_id, started_at,
      row_number() OVER (PARTITION BY app ORDER BY started_at DESC, run_id DESC) AS place
    FROM runs
    WHERE app IS NOT NULL AND started_at IS NOT NULL AND ($app IS NULL OR app = $app)
  ),

  pair AS (
    SELECT
      0 AS preference, b.app || '@' || b.version AS before, a.app || '@' || a.version AS "after",
      a.started_at
    FROM version AS a
    JOIN version AS b ON a.app = b.app AND a.place = 1 AND b.place = 2
    UNION ALL
    SELECT 1, b.run_id, a.run_id, a.started_at
    FROM run AS a
    JOIN run AS b ON a.app = b.app AND a.place = 1 AND b.place = 2
  )

SELECT before, "after"
FROM pair
ORDER BY preference, started_at DESC, "after"
LIMIT 1;
