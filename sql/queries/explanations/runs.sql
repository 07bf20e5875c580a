-- Runs on both sides of an explanation, in the order of their application: each at the date of its
-- commit, else of its start.
SELECT
  r.run_id, r.app, r.version, g."commit", coalesce(c.counted_at, r.started_at) AS started_at,
  list_contains($runs, r.run_id) AS is_after
FROM runs AS r
LEFT JOIN run_groups AS g ON r.run_id = g.run_id
LEFT JOIN _run_commits AS c ON r.run_id = c.run_id
LEFT JOIN _run_order AS o ON r.run_id = o.run_id
WHERE list_contains($runs || $against, r.run_id)
ORDER BY o.place, r.started_at, list_position($against || $runs, r.run_id);
