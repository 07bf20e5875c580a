-- Values of a metric of the runs of some commits, in order of time: of a program as it is recorded with
-- one choice of arguments, variables and tools on one machine, which is the one with most commits where
-- they are not stated. Runs with changes that were not committed are of no commit.
WITH
  found AS (
    SELECT
      r.run_id, r."commit", r.machine, m.value, r.started_at,
      list_transform(['arguments', 'variables', 'profiler'], lambda name: coalesce(r.tags[name], ''))
        AS configuration
    FROM runs AS r
    JOIN run_metrics AS m ON r.run_id = m.run_id
    WHERE r.app = $app AND m.metric = $metric AND m.value > 0
      AND list_contains($commits, r."commit")
      AND r.run_id NOT IN (SELECT run_id FROM failed_runs)
      AND coalesce(r.tags['dirty'], '') = ''
      AND ($machine IS NULL OR r.machine = $machine)
  ),

  chosen AS (
    SELECT machine, configuration
    FROM found
    WHERE $configuration IS NULL OR configuration = $configuration
    GROUP BY machine, configuration
    ORDER BY count(DISTINCT "commit") DESC, count(*) DESC, machine, configuration
    LIMIT 1
  )

SELECT f.run_id, f."commit", f.value
FROM found AS f
JOIN chosen AS c
  ON f.machine IS NOT DISTINCT FROM c.machine AND f.configuration = c.configuration
ORDER BY f.started_at, f.run_id;
