-- Sides of a comparison, $before and $after (lists of run_id), that ran before and after all runs of
-- the other in a configuration that both have: their runs there before and after it, in order of time.
WITH
  placed AS (
    SELECT
      run_id, app, started_at, configuration,
      list_contains(CAST($after AS VARCHAR[]), run_id) AS is_after
    FROM run_configurations
    WHERE started_at IS NOT NULL
      AND list_contains(CAST($before AS VARCHAR[]) || CAST($after AS VARCHAR[]), run_id)
  ),

  others AS (
    SELECT app, configuration, NOT is_after AS is_after, min(started_at) AS first, max(started_at) AS last
    FROM placed
    GROUP BY ALL
  )

SELECT
  p.is_after,
  list(p.run_id ORDER BY p.started_at, p.run_id) FILTER (p.started_at < o.first) AS earlier,
  list(p.run_id ORDER BY p.started_at, p.run_id) FILTER (p.started_at > o.last) AS later
FROM placed AS p
JOIN others AS o USING (app, configuration, is_after)
GROUP BY p.is_after, p.app, p.configuration
HAVING earlier IS NOT NULL AND later IS NOT NULL
  AND len(earlier) + len(later) = count(*);
