-- The $number runs that started last; where that is unknown, what counts is when they landed.
WITH
  landed AS (
    SELECT f.run_id, max(s.ingested_at) AS landed_at
    FROM run_facts AS f
    JOIN sources AS s USING (source_id)
    GROUP BY f.run_id
  )

SELECT r.run_id, r.app, r.version, r.machine, r.started_at, r.wall_seconds, l.landed_at
FROM landed AS l
JOIN runs AS r USING (run_id)
ORDER BY coalesce(r.started_at, l.landed_at) DESC, r.run_id DESC
LIMIT $number;
