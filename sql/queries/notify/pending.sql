-- What the recipients of rules were not told yet, at the time $now: a row a recipient and subject, the
-- changes first, the largest before others.
WITH
  -- events with a change that a rule is of
  changes AS (
    SELECT
      r.recipient, 'changes' AS what, e.app, e.event_id, e.run_id, c.metric, c.change,
      concat_ws(
        ' ', 'event', e.event_id,
        if(e.state = 'reopened', concat_ws(' ', 'not fixed in', e.fixed_in, e.said_at), NULL)
      ) AS subject,
      NULL AS last_at, NULL AS version
    FROM notification_rules AS r
    JOIN change_events AS e
      ON r.what = 'changes' AND _matches(e.app, r.app)
      AND e.state <> 'withdrawn' AND e.acknowledged IS NULL
    JOIN change_points AS c
      ON e.event_id = c.event_id AND _matches(c.metric, r.metric)
      AND c.direction IS DISTINCT FROM 'better' AND c.acknowledged IS NULL
      AND (r.least IS NULL OR c.change IS NULL OR abs(c.change) >= r.least)
  ),

  arrivals AS (
    SELECT app, max(landed_at) AS last_at FROM runs WHERE app IS NOT NULL GROUP BY app
  ),

  silence AS (
    SELECT
      r.recipient, 'silence' AS what, a.app, NULL AS event_id, NULL AS run_id, NULL AS metric,
      NULL AS change, concat_ws(' ', 'silence of', a.app, a.last_at) AS subject, a.last_at,
      NULL AS version
    FROM notification_rules AS r
    JOIN arrivals AS a
      ON r.what = 'silence' AND _matches(a.app, r.app)
      AND epoch(CAST($now AS TIMESTAMPTZ)) - epoch(a.last_at) > r.days * 86400
  ),

  -- the last that became of a metric that was missing in a version; functions come and go with the
  -- compiler
  missing AS (
    SELECT v.*
    FROM version_comparisons AS v
    JOIN runs AS r ON v.runs[1] = r.run_id
    WHERE v.verdict IN ('gone', 'new') AND v.share_before IS NULL
    QUALIFY row_number() OVER (
      PARTITION BY v.app, v.machine, coalesce(v.fields_before, v.fields_after), v.metric
      ORDER BY coalesce(r.started_at, r.landed_at) DESC
    ) = 1
  ),

  gone AS (
    SELECT
      r.recipient, 'gone' AS what, v.app, NULL AS event_id, v.against[-1] AS run_id, v.metric,
      NULL AS change, concat_ws(' ', 'gone', v.app, v.metric, v.machine, v.version) AS subject,
      NULL AS last_at, v.version
    FROM notification_rules AS r
    JOIN missing AS v
      ON r.what = 'gone' AND _matches(v.app, r.app) AND _matches(v.metric, r.metric)
      AND v.verdict = 'gone'
  ),

  pending AS (
    FROM changes
    UNION ALL BY NAME
    FROM silence
    UNION ALL BY NAME
    FROM gone
  )

SELECT
  p.recipient, p.subject, p.what, any_value(p.app) AS app, any_value(p.event_id) AS event_id,
  any_value(p.run_id) AS run_id, any_value(p.metric) AS metric, max(abs(p.change)) AS size,
  any_value(p.last_at) AS last_at, any_value(p.version) AS version
FROM pending AS p
ANTI JOIN notifications AS n ON p.recipient = n.recipient AND p.subject = n.subject
GROUP BY p.recipient, p.subject, p.what
ORDER BY
  p.recipient, list_position(['changes', 'gone', 'silence'], p.what), size DESC NULLS FIRST,
  if(p.what = 'gone', concat_ws(' ', any_value(p.app), any_value(p.run_id)), NULL), p.subject;
