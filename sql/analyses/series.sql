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
      list(
        struct_update(
          c, "index" := "index", next_run_id := next.run_id, next_started_at := next.started_at
        )
      ) AS changes
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

  wholes AS (
    SELECT
      series_id, sum(changes_of_any_size) AS changes_of_any_size, arg_min(opening, part) AS opening,
      flatten(
        list(list_transform(
          disturbances,
          lambda d: struct_update(d, "first" := skipped + d.first, "last" := skipped + d.last)
        ))
      ) AS disturbances
    FROM parts
    GROUP BY series_id
  )

SELECT
  p.* EXCLUDE (
    part_id, part, before_next, opening, closing, skipped, points, is_last, changes_of_any_size,
    changes, disturbances, newest_from
  ),
  list_transform(
    p.newest_from, lambda begin: struct_update(begin, "index" := p.skipped + begin.index)
  ) AS newest_from,
  p.skipped + p.points AS points,
  CASE WHEN p.points >= 10 THEN (p.closing - w.opening) / nullif(abs(w.opening), 0) END
    AS overall_change,
  w.changes_of_any_size, coalesce(c.changes, []) AS changes, w.disturbances
FROM parts AS p
JOIN wholes AS w ON p.series_id = w.series_id
LEFT JOIN changes AS c ON p.series_id = c.series_id
WHERE p.is_last;
