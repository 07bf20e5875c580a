-- key: run_id VARCHAR
-- scope: run_id
-- reads: runs, series_fields, acknowledgements
-- requires: metric_series, scaling_points, run_contents
--
-- What each run is analysed together with: series, by application and fields, and sets of runs that
-- scale, by application, version and machine.

-- inputs
SELECT
  r.run_id AS key, r.run_id AS scope,
  md5(concat_ws(chr(0), CAST(r AS VARCHAR), CAST(s.fields AS VARCHAR), f.run_id, c.digest))
    AS digest,
  r.app, r.version, r.machine, s.fields, r.tags['commit'] AS "commit",
  f.run_id IS NOT NULL AS has_failed
FROM runs AS r
LEFT JOIN _series_of_runs AS s ON r.run_id = s.run_id
LEFT JOIN failed_runs AS f ON r.run_id = f.run_id
LEFT JOIN _run_contents AS c ON r.run_id = c.run_id
WHERE r.run_id IN (FROM _scope);

-- rows
SELECT
  key AS run_id, app, fields, "commit",
  CASE WHEN app IS NOT NULL AND fields IS NOT NULL
    THEN _number_of(concat_ws(chr(0), app, CAST(fields AS VARCHAR))) END AS configuration_id,
  CASE WHEN NOT has_failed THEN _set_id(app, version, machine) END AS set_id,
  hash(digest) AS content
FROM _inputs;
