-- key: app VARCHAR
-- scope: app
-- reads: run_groups, runs, default_branches
-- requires: run_times
--
-- The order of the versions of an application.

-- inputs
WITH
  -- failed and invalid runs are of no use to order versions
  versions AS (
    SELECT o.app, o.version, min(o.place) AS place
    FROM _run_order AS o
    JOIN run_groups AS g ON o.run_id = g.run_id
    WHERE o.app IN (FROM _scope) AND o.version IS NOT NULL AND g.fields IS NOT NULL AND NOT o.is_candidate
    GROUP BY o.app, o.version
  )

SELECT
  app AS key, app AS scope, md5(CAST(list((version, place) ORDER BY version) AS VARCHAR)) AS digest,
  list({'version': version, 'place': place}) AS versions
FROM versions
GROUP BY app;

-- rows
SELECT key AS app, version, dense_rank() OVER (PARTITION BY key ORDER BY place) AS version_order
FROM (SELECT key, unnest(versions, recursive := true) FROM _inputs);
