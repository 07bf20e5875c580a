-- Runs that $name, which is no id, stands for, the newest first, by the first of these that has any:
-- $latest, the newest of what landed last; APP@VERSION (with $app, which may be NULL, a version of it), where a
-- commit may be its first seven digits or more, unless others begin so; so a branch, of which it is the
-- newest commit; APP or APP@latest, what its newest run is of (_run_order.state); the beginning of an id.
-- `kind` is which. Of a version failed runs are left out where others have not failed. `is_tied` is
-- whether it is unknown which run is the newest: others, of another version or of none, landed in the
-- same file with the same start or none.
WITH
  candidates AS (
    SELECT
      r.run_id, r.app, coalesce(r.version, g."commit") AS version,
      coalesce(g."commit", r.version) AS "commit", r.started_at, g.branch
    FROM runs AS r
    LEFT JOIN run_groups AS g ON r.run_id = g.run_id
    WHERE ($app IS NULL OR r.app = $app)
      AND (
        $name = $latest OR starts_with(r.run_id, $name) OR $app IS NOT NULL
        OR r.app = $name OR starts_with($name, r.app || '@')
      )
  ),

  landed AS (
    SELECT f.run_id, max(s.ingested_at) AS landed_at, max(f.position) AS position
    FROM run_facts AS f
    JOIN sources AS s USING (source_id)
    WHERE f.run_id IN (SELECT run_id FROM candidates)
    GROUP BY f.run_id
  ),

  dated AS (
    SELECT
      c.* REPLACE (CASE WHEN o.is_candidate THEN c.branch ELSE b.branch END AS branch), o.state,
      l.landed_at, l.position,
      c.run_id IN (SELECT run_id FROM failed_runs) AS has_failed,
      row_number() OVER (PARTITION BY c.app ORDER BY o.place DESC, l.position DESC, c.run_id DESC)
        AS age,
      count(*) OVER moment > 1
        AND (count(version) OVER moment < count(*) OVER moment
          OR min(version) OVER moment < max(version) OVER moment) AS is_tied
    FROM candidates AS c
    LEFT JOIN landed AS l ON c.run_id = l.run_id
    LEFT JOIN (SELECT run_id, place, state, is_candidate FROM _run_order) AS o ON c.run_id = o.run_id
    LEFT JOIN _default_branches AS b ON c.app = b.app
    WINDOW moment AS (PARTITION BY c.app, o.place)
  ),

  last_landed AS (
    SELECT run_id
    FROM dated
    ORDER BY landed_at DESC NULLS LAST, started_at DESC NULLS LAST, position DESC, run_id
    LIMIT 1
  ),

  named AS (
    SELECT
      d.*,
      CASE
        WHEN $name = $latest THEN if(d.run_id IN (SELECT run_id FROM last_landed), 'latest', NULL)
        WHEN d.app || '@' || d.version = $name OR $app IS NOT NULL AND d.version = $name
          THEN 'version'
        WHEN regexp_full_match(d."commit", '[0-9a-f]{40}') AND (
          starts_with(d.app || '@' || d."commit", $name) AND length($name) > length(d.app) + 7
          OR $app IS NOT NULL AND starts_with(d."commit", $name) AND length($name) >= 7
        ) THEN 'commit'
        WHEN d.app || '@' || d.branch = $name OR $app IS NOT NULL AND d.branch = $name
          THEN if(
            d.state IS NOT DISTINCT FROM first_value(d.state) OVER (PARTITION BY d.app, d.branch ORDER BY d.age),
            'branch', NULL
          )
        WHEN d.app = $name OR d.app || '@' || $latest = $name
          THEN if(
            d.age = 1 OR d.state = first_value(d.state) OVER (PARTITION BY d.app ORDER BY d.age),
            'app', NULL
          )
        WHEN starts_with(d.run_id, $name) THEN 'beginning'
      END AS kind
    FROM dated AS d
  ),

  chosen AS (
    SELECT *
    FROM named
    WHERE kind IS NOT NULL
    QUALIFY rank() OVER (
      ORDER BY list_position(['latest', 'version', 'commit', 'branch', 'app', 'beginning'], kind)
    ) = 1
  )

SELECT kind, run_id, kind IN ('latest', 'app') AND is_tied AS is_tied
FROM chosen
QUALIFY
  (kind NOT IN ('version', 'commit', 'branch', 'app') OR NOT has_failed OR bool_and(has_failed) OVER (PARTITION BY 1))
  AND (kind <> 'commit' OR min("commit") OVER (PARTITION BY 1) = max("commit") OVER (PARTITION BY 1))
ORDER BY age, run_id;
