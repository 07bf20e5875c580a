-- What has $text in its name, in any letters' case: runs (also of a day, as 2026-11-28, or of a
-- commit), applications, versions, commits and metrics, functions among these; of each kind the
-- newest or the first $number. The columns are what the link to it needs.
WITH
  asked AS (
    SELECT lower(CAST($text AS VARCHAR)) AS text
  ),

  ran AS (
    SELECT
      r.run_id, r.app, r.version, coalesce(r."commit", '') AS "commit", t.last_at,
      strftime(r.started_at, '%Y-%m-%d') AS day
    FROM runs AS r
    LEFT JOIN _run_times AS t ON r.run_id = t.run_id
  ),

  found AS (
    SELECT
      'application' AS kind, app AS name, app, NULL AS version, NULL AS metric, NULL AS run_id,
      max(last_at) AS last_at
    FROM ran, asked
    WHERE contains(lower(app), text)
    GROUP BY app
    UNION ALL
    SELECT 'version', concat_ws(' ', app, version), app, version, NULL, NULL, max(last_at)
    FROM ran, asked
    WHERE contains(lower(concat_ws(' ', app, version)), text) AND version IS NOT NULL
    GROUP BY app, version
    UNION ALL
    SELECT 'run', run_id, app, version, NULL, run_id, last_at
    FROM ran, asked
    WHERE contains(lower(run_id), text) OR day = text OR starts_with("commit", text)
    UNION ALL
    SELECT
      'commit', concat_ws(' ', left(c."commit", 10), c.subject), any_value(r.app), NULL, NULL,
      max_by(r.run_id, r.last_at), max(c.committed_at)
    FROM commits AS c
    JOIN ran AS r ON c."commit" = r."commit", asked
    WHERE contains(lower(concat_ws(' ', c."commit", c.subject)), text)
    GROUP BY c."commit", c.subject
    UNION ALL
    SELECT DISTINCT 'metric', metric, app, NULL, metric, NULL, CAST(NULL AS TIMESTAMPTZ)
    FROM metric_series, asked
    WHERE contains(lower(metric), text)
  )

FROM found
WHERE $text <> ''
QUALIFY row_number() OVER (PARTITION BY kind ORDER BY last_at DESC NULLS LAST, name, app) <= $number
ORDER BY
  list_position(['application', 'version', 'commit', 'run', 'metric'], kind),
  last_at DESC NULLS LAST, name, app;
