-- requires: run_metrics
--
-- Environments: what runs ran in, and which of them ran in the same.

CREATE OR REPLACE MACRO _environment_id(environment) AS
  _number_of(CAST(map_from_entries(list_sort(map_entries(environment))) AS VARCHAR));

CREATE OR REPLACE VIEW run_environment AS
SELECT
  run_id, _environment_id(environment) AS environment_id,
  unnest(map_keys(environment)) AS field, unnest(map_values(environment)) AS "value"
FROM runs
WHERE cardinality(environment) > 0;

COMMENT ON VIEW run_environment IS 'One row is a field of the environment of a run.';
COMMENT ON COLUMN run_environment.environment_id IS 'Its environment (environments.environment_id).';
COMMENT ON COLUMN run_environment.field IS 'Field: cpu, microcode, cores, smt, governor, turbo, kernel, os, libc, compiler, interpreter ...';
COMMENT ON COLUMN run_environment."value" IS 'Its value, as the file states it.';

CREATE OR REPLACE VIEW environments AS
SELECT
  _environment_id(environment) AS environment_id, any_value(environment) AS fields,
  count(*) AS runs, list(DISTINCT machine ORDER BY machine) AS machines,
  min(started_at) AS first_started_at, max(started_at) AS last_started_at
FROM runs
WHERE cardinality(environment) > 0
GROUP BY _environment_id(environment);

COMMENT ON VIEW environments IS 'One row is an environment: runs with equal values of all its fields ran in it.';
COMMENT ON COLUMN environments.environment_id IS 'Number of the environment: the same in every warehouse for the same fields.';
COMMENT ON COLUMN environments.fields IS 'What is known of it: field -> value.';
COMMENT ON COLUMN environments.runs IS 'Runs in it.';
COMMENT ON COLUMN environments.machines IS 'Machines that these name.';
COMMENT ON COLUMN environments.first_started_at IS 'When the first of them started.';
COMMENT ON COLUMN environments.last_started_at IS 'When the last of them started.';
