-- key: run_id VARCHAR
-- scope: run_id
-- requires: metric_series
-- reads: runs, series_fields, acknowledgements
--
-- Which runs are in series together: those of one application with equal values of series_fields.

-- inputs
SELECT
  run_id AS key, run_id AS scope,
  md5(concat_ws(chr(0), app, CAST(fields AS VARCHAR), "commit")) AS digest,
  app, fields, "commit"
FROM _series_of_runs
WHERE app IS NOT NULL AND run_id IN (FROM _scope);

-- rows
SELECT
  key AS run_id, app, fields, "commit",
  _number_of(concat_ws(chr(0), app, CAST(fields AS VARCHAR))) AS configuration_id
FROM _inputs;
