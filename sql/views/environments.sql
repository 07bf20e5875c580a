-- requires: run_metrics
--
-- Environments: what runs ran in, and which of them ran in the same.

CREATE OR REPLACE MACRO _environment_id(environment) AS
  _number_of(CAST(map_from_entries(list_sort(map_entries(environment))) AS VARCHAR));

CREATE OR REPLACE VIEW run_environment AS -- One row is a field of the environment of a run.
SELECT
  run_id,
  _environment_id(environment) AS environment_id, -- Its environment (environments.environment_id).
  unnest(map_keys(environment)) AS field, -- Field: cpu, microcode, cores, smt, governor, turbo, kernel, os, libc, compiler, interpreter ...
  unnest(map_values(environment)) AS "value" -- Its value, as the file states it.
FROM runs
WHERE cardinality(environment) > 0;

CREATE OR REPLACE VIEW environments AS -- One row is an environment: runs with equal values of all its fields ran in it.
SELECT
  _environment_id(environment) AS environment_id, -- Number of the environment: the same in every warehouse for the same fields.
  any_value(environment) AS fields, -- What is known of it: field -> value.
  count(*) AS runs, -- Runs in it.
  list(DISTINCT machine ORDER BY machine) AS machines, -- Machines that these name.
  min(started_at) AS first_started_at, -- When the first of them started.
  max(started_at) AS last_started_at -- When the last of them started.
FROM runs
WHERE cardinality(environment) > 0
GROUP BY _environment_id(environment);
