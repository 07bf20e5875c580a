-- Names that begin with $part, of a $kind: runs (also APP and APP@VERSION), apps, or metrics.
SELECT name
FROM (
  SELECT 'runs' AS kind, run_id AS name FROM runs
  UNION
  SELECT unnest(['runs', 'apps']), app FROM runs
  UNION
  SELECT 'runs', app || '@' || version FROM runs
  UNION
  SELECT 'runs', $latest
  UNION
  SELECT 'metrics', metric FROM run_scalars
  UNION
  SELECT 'metrics', 'wall_seconds'
)
WHERE kind = $kind AND starts_with(name, $part) AND NOT regexp_matches(name, '[\s''"`$\\]')
ORDER BY name
LIMIT 200;
