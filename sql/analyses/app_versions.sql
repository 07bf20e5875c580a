-- key: app VARCHAR
-- scope: app
-- reads: runs
-- requires: run_times, failed_runs
--
-- The order of the versions of an application.

-- inputs
WITH
  versions AS (
    SELECT app, version, min(place) AS place
    FROM _run_order
    WHERE app IN (FROM _scope) AND version IS NOT NULL
      AND run_id NOT IN (SELECT run_id FROM failed_runs)
    GROUP BY app, version
  )

SELECT
  app AS key, app AS scope, md5(CAST(list((version, place) ORDER BY version) AS VARCHAR)) AS digest,
  list({'version': version, 'place': place}) AS versions
FROM versions
GROUP BY app;

-- rows
SELECT key AS app, version, dense_rank() OVER (PARTITION BY key ORDER BY place) AS version_order
FROM (SELECT key, unnest(versions, recursive := true) FROM _inputs);
