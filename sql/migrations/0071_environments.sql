-- What a run ran in and on: hardware, system, compiler, interpreter.

ALTER TABLE runs ADD COLUMN environment MAP(VARCHAR, VARCHAR);
ALTER TABLE run_facts ADD COLUMN environment MAP(VARCHAR, VARCHAR);
COMMENT ON COLUMN runs.environment IS 'What it ran in, by field: cpu, microcode, cores, smt, governor, turbo, kernel, os, libc, compiler, interpreter ..., as files state it (run_environment, environments).';
COMMENT ON COLUMN run_facts.environment IS 'What the run ran in, by field.';
