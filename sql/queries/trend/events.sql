-- Events of one application, the newest first: changes of several metrics at one version; and those that
-- were withdrawn.
FROM (
  FROM _change_events_of(
    metrics := CAST($metrics AS VARCHAR[]), machines := [coalesce($machine, '*')]
  )
  UNION ALL BY NAME
  FROM _withdrawn_events
  WHERE _matches_any(metric, $metrics)
    AND _matches(machine, coalesce($machine, '*'))
)
WHERE app = $app
ORDER BY started_at DESC, run_id, event_id;
