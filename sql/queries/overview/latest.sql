-- The $number runs that landed last.
WITH
  latest AS (
    SELECT f.run_id, max(s.ingested_at) AS landed_at
    FROM run_facts AS f
    JOIN sources AS s USING (source_id)
    GROUP BY f.run_id
    ORDER BY landed_at DESC, max(f.position) DESC, f.run_id
    LIMIT $number
  )

SELECT r.run_id, r.app, r.version, r.machine, r.started_at, r.wall_seconds, l.landed_at
FROM latest AS l
JOIN runs AS r USING (run_id)
ORDER BY l.landed_at DESC, r.started_at DESC NULLS LAST, r.run_id DESC;
