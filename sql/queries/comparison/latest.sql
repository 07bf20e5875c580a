-- The sides of the last change, else the last two versions of an application: of $app, else of the one
-- that ran last; of an application without two versions its last two runs. One row or none.
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

SELECT before, "after"
FROM (
  SELECT
    -1 AS preference, if(previous_version <> version, app || '@' || previous_version, previous_run_id)
      AS before,
    if(previous_version <> version, app || '@' || version, run_id) AS "after",
    (started_at, 0) AS last_ran
  FROM _change_events
  WHERE state <> 'withdrawn' AND ($app IS NULL OR app = $app)
  UNION ALL
  SELECT p.preference, p.before, p.name, a.last_ran
  FROM placed AS p
  JOIN (
    SELECT app, max((last_at, position)) AS last_ran FROM ran GROUP BY app
  ) AS a ON p.app = a.app
  WHERE p.nth = 1
)
WHERE before IS NOT NULL AND "after" IS NOT NULL
ORDER BY preference, last_ran DESC, "after"
LIMIT 1;
