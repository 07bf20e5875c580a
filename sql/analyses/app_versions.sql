-- key: app VARCHAR
-- scope: app
-- reads: runs
-- requires: run_times, failed_runs
--
-- The order of the versions of an application.

-- inputs
WITH
  versions AS (
    SELECT app, version, min(started_at) AS first_at
    FROM runs
    WHERE app IN (FROM _scope) AND version IS NOT NULL
      AND run_id NOT IN (SELECT run_id FROM failed_runs)
    GROUP BY app, version
  )

SELECT
  app AS key, app AS scope, md5(CAST(list((version, first_at) ORDER BY version) AS VARCHAR)) AS digest,
  list({'version': version, 'first_at': first_at}) AS versions,
  bool_and(first_at IS NOT NULL) AS is_dated
FROM versions
GROUP BY app;

-- rows
SELECT
  key AS app, version,
  dense_rank() OVER (
    PARTITION BY key ORDER BY CASE WHEN is_dated THEN first_at END, _version_numbers(version), version
  ) AS version_order
FROM (SELECT key, is_dated, unnest(versions, recursive := true) FROM _inputs);
