-- The two versions that ran last of an application: of $app, else of the one that ran last; of an
-- application without two versions its last two runs. One row or none.
WITH
  ran AS (
    SELECT r.app, r.version, r.run_id, t.last_at, t.position
    FROM runs AS r
    JOIN _run_times AS t USING (run_id)
    WHERE r.app IS NOT NULL AND t.last_at IS NOT NULL AND ($app IS NULL OR r.app = $app)
  ),

  side AS (
    SELECT
      0 AS preference, app, app || '@' || version AS name, max(last_at) AS last_at,
      max(position) AS position
    FROM ran
    WHERE version IS NOT NULL
    GROUP BY app, version
    UNION ALL
    SELECT 1, app, run_id, last_at, position FROM ran
  ),

  placed AS (
    SELECT
      *, lead(name) OVER newest AS before, row_number() OVER newest AS place
    FROM side
    WINDOW newest AS (
      PARTITION BY preference, app ORDER BY last_at DESC, position DESC, name DESC
    )
  )

SELECT before, name AS "after"
FROM placed
WHERE place = 1 AND before IS NOT NULL
ORDER BY preference, last_at DESC, position DESC, "after"
LIMIT 1;
