-- The latest $number changes for the worse that are not certain yet: one row a run, with its
-- clearest metric. Of all applications, or of $app.
SELECT
  app, machine, metric, unit, run_id, version, previous_version, "commit", previous_commit,
  started_at, "before", "after", change, p_value, more_runs,
  count(*) OVER (PARTITION BY app, fields, run_id) - 1 AS others
FROM provisional_changes
WHERE direction = 'worse' AND acknowledged IS NULL AND ($app IS NULL OR app = $app)
QUALIFY row_number() OVER (
  PARTITION BY app, fields, run_id
  ORDER BY metric <> 'wall_seconds', metric NOT LIKE 'functions:%',
    NOT starts_with(metric, 'seconds:'), p_value
) = 1
ORDER BY started_at DESC, run_id
LIMIT $number;
