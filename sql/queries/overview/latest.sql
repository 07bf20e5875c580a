-- The $number runs that started last; where that is unknown, what counts is when they landed.
SELECT
  r.run_id, r.app, r.version, r.machine, t.stated_at AS started_at, r.wall_seconds, t.landed_at
FROM runs AS r
JOIN _run_times AS t USING (run_id)
ORDER BY t.last_at DESC NULLS LAST, t.position DESC, r.run_id
LIMIT $number;
