-- Events, the open ones first, of these and of the others the newest first. Of $states; of $event_id,
-- $app, $branch, a $machine (a name or pattern), an $owner and a $commit, or what that begins with, where
-- these are not NULL, and not before $since nor after $until.
SELECT e.*, g.branch, _commit_url(e."commit") AS url
FROM change_events AS e
LEFT JOIN run_groups AS g ON e.run_id = g.run_id
WHERE list_contains(CAST($states AS VARCHAR[]), e.state)
  AND ($event_id IS NULL OR e.event_id = $event_id)
  AND ($app IS NULL OR e.app = $app)
  AND ($branch IS NULL OR g.branch = $branch)
  AND ($machine IS NULL OR _matches(e.machine, $machine))
  AND ($owner IS NULL OR e."owner" = $owner)
  AND ($commit IS NULL OR starts_with(e."commit", $commit))
  AND ($until IS NULL OR e.started_at <= CAST($until AS TIMESTAMPTZ))
  AND ($since IS NULL OR e.started_at >= CAST($since AS TIMESTAMPTZ))
ORDER BY
  e.acknowledged IS NOT NULL, e.state = 'withdrawn', e.direction IS DISTINCT FROM 'worse',
  e.started_at DESC, e.event_id;
