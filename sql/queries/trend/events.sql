-- Events of one application, the newest first: changes of several metrics at one version.
SELECT *
FROM _change_events_of(
  metrics := CAST($metrics AS VARCHAR[]), machines := [coalesce($machine, '*')]
)
WHERE app = $app
ORDER BY started_at DESC, run_id;
