-- The last two versions of an application: of $app, else of the one that ran last; of an application
-- without two versions its last two runs. One row or none.
WITH
  ran AS (
    SELECT r.run_id, r.app, t.last_at, t.position
    FROM runs AS r
    JOIN _run_times AS t ON r.run_id = t.run_id
    WHERE r.app IS NOT NULL AND t.last_at IS NOT NULL AND ($app IS NULL OR r.app = $app)
  ),

  side AS (
    SELECT
      0 AS preference, v.app, v.app || '@' || v.version AS name, v.version_order AS place,
      NULL AS position
    FROM app_versions AS v
    SEMI JOIN ran ON v.app = ran.app
    UNION ALL
    SELECT 1, r.app, r.run_id, o.place, r.position
    FROM ran AS r
    JOIN _run_order AS o ON r.run_id = o.run_id
  ),

  placed AS (
    SELECT
      preference, app, name, lead(name) OVER newest AS before, row_number() OVER newest AS nth
    FROM side
    WINDOW newest AS (PARTITION BY preference, app ORDER BY place DESC, position DESC, name DESC)
  )

SELECT p.before, p.name AS "after"
FROM placed AS p
JOIN (SELECT app, max((last_at, position)) AS last_ran FROM ran GROUP BY app) AS a ON p.app = a.app
WHERE p.nth = 1 AND p.before IS NOT NULL
ORDER BY p.preference, a.last_ran DESC, "after"
LIMIT 1;
