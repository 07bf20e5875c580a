-- key: series_id BIGINT
-- scope: app
-- needs: _series_parts
-- reads: _series_parts
--
-- Series and all that is found in them, part by part: their state is that of the last part.

-- inputs
SELECT
  split_part(key, ' ', 1) AS key, any_value(scope) AS scope,
  md5(string_agg(concat_ws(' ', key, digest), ',' ORDER BY key)) AS digest,
  CAST(split_part(key, ' ', 1) AS BIGINT) AS series_id
FROM analysis_states
WHERE analysis = '_series_parts' AND scope IN (FROM _scope)
GROUP BY split_part(key, ' ', 1)
HAVING count(failed) = 0;

-- rows
WITH
  parts AS (
    SELECT
      p.*, p.part = max(p.part) OVER (PARTITION BY p.series_id) AS is_last,
      coalesce(
        sum(p.before_next) OVER (
          PARTITION BY p.series_id ORDER BY p.part
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ),
        0
      ) AS skipped
    FROM _series_parts AS p
    JOIN _inputs AS i ON p.series_id = i.series_id
  ),

  -- one that two parts found counts once
  found AS (
    SELECT
      series_id, part, c, skipped + c.index AS "index",
      max("index") OVER (
        PARTITION BY series_id ORDER BY part RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ) AS known
    FROM (SELECT series_id, part, skipped, unnest(changes) AS c FROM parts)
    QUALIFY known IS NULL OR "index" >= known + 8
  ),

  changes AS (
    SELECT
      series_id,
      list({
        'index': "index", 'before': c.before, 'after': c.after, 'p_value': c.p_value,
        'more_runs': c.more_runs, 'run_id': c.run_id, 'version': c.version, 'commit': c."commit",
        'started_at': c.started_at, 'previous_run_id': c.previous_run_id,
        'previous_version': c.previous_version, 'previous_commit': c.previous_commit,
        'near_after': c.near_after, 'near_until': c.near_until, 'next_run_id': next.run_id,
        'next_started_at': next.started_at, 'runs': c.runs, 'against': c.against
      }) AS changes
    FROM (
      SELECT
        *,
        CASE WHEN c.more_runs IS NULL THEN lead(c) OVER (
          PARTITION BY series_id, c.more_runs IS NULL ORDER BY "index"
        ) END AS next
      FROM found
    )
    GROUP BY series_id
  ),

  disturbances AS (
    SELECT
      series_id,
      list({
        'first': skipped + d.first, 'last': skipped + d.last, 'usual': d.usual,
        'disturbed': d.disturbed, 'run_id': d.run_id, 'version': d.version,
        'started_at': d.started_at, 'last_run_id': d.last_run_id, 'last_version': d.last_version,
        'last_started_at': d.last_started_at
      }) AS disturbances
    FROM (SELECT series_id, skipped, unnest(disturbances) AS d FROM parts)
    GROUP BY series_id
  ),

  wholes AS (
    SELECT
      series_id, sum(changes_of_any_size) AS changes_of_any_size, arg_min(opening, part) AS opening
    FROM parts
    GROUP BY series_id
  )

SELECT
  p.series_id, p.app, p.machine, p.fields, p.metric, p.unit, p.skipped + p.points AS points,
  p.significance, p.smallest_change, p.state, p.level, p.smallest_visible, p.low, p.high,
  p.high_share, p.drift, p.latest_outlier, p.latest_outlier_run_id,
  CASE WHEN p.points >= 10 THEN (p.closing - w.opening) / nullif(abs(w.opening), 0) END
    AS overall_change,
  w.changes_of_any_size, p.provisional_of_any_size, coalesce(c.changes, []) AS changes,
  coalesce(d.disturbances, []) AS disturbances
FROM parts AS p
JOIN wholes AS w ON p.series_id = w.series_id
LEFT JOIN changes AS c ON p.series_id = c.series_id
LEFT JOIN disturbances AS d ON p.series_id = d.series_id
WHERE p.is_last;
