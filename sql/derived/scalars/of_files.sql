-- The files of runs, $files: a JSON list of run_id and source_id.
CREATE TEMP TABLE _keep AS
SELECT unnest(
  from_json($files, '[{"run_id": "VARCHAR", "source_id": "BIGINT"}]'), recursive := true
);
