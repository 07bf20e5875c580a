-- Runs that have counters, those of an application together: first the application of which a run
-- counted most events, as most can be said of it, then the one with most runs; last those without an
-- application, which need not have anything in common. rows_so_far counts the rows of the run and of
-- the newer ones of its application.
WITH
  counted AS (
    SELECT run_id, count(*) AS counters
    FROM pmu_samples
    GROUP BY run_id
  ),

  events AS (
    SELECT run_id, count(*) AS events
    FROM run_scalars
    WHERE starts_with(metric, 'counter:')
    GROUP BY run_id
  )

SELECT
  r.run_id, r.app, r.version, r.machine, r.started_at,
  CAST(sum(c.counters) OVER (
    PARTITION BY r.app ORDER BY t.last_at DESC NULLS LAST, t.position DESC, r.run_id
  ) AS BIGINT) AS rows_so_far
FROM runs AS r
JOIN _run_times AS t ON r.run_id = t.run_id
JOIN counted AS c ON r.run_id = c.run_id
LEFT JOIN events AS e ON r.run_id = e.run_id
ORDER BY
  r.app IS NULL, max(e.events) OVER (PARTITION BY r.app) DESC NULLS LAST,
  count(*) OVER (PARTITION BY r.app) DESC, r.app, t.last_at DESC NULLS LAST, t.position DESC,
  r.run_id;
