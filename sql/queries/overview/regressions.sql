-- The latest $number events for the worse that nobody has acknowledged.
SELECT
  event_id, app, machine, metric, unit, run_id, version, previous_version, previous_run_id, "commit",
  previous_commit, started_at, "before", "after", change, p_value, others, others_worse, others_better, moved,
  _commit_url("commit") AS url
FROM change_events
WHERE state <> 'withdrawn' AND direction = 'worse' AND acknowledged IS NULL
ORDER BY started_at DESC, run_id
LIMIT $number;
