-- What is stored for how long, and which rows are gone for that reason.

CREATE TABLE retention_rules (
    rule_id BIGINT NOT NULL,
    keeps VARCHAR NOT NULL,
    app VARCHAR NOT NULL,
    branch VARCHAR NOT NULL,
    "rows" VARCHAR NOT NULL,
    days DOUBLE NOT NULL
);
COMMENT ON TABLE retention_rules IS 'One row is a rule of pwh retention, which pwh maintain applies. Runs that an event, a label or an acknowledgement is of stay as they are.';
COMMENT ON COLUMN retention_rules.rule_id IS 'Number of the rule.';
COMMENT ON COLUMN retention_rules.keeps IS 'all: nothing of it is deleted, whatever other rules say; answers: scalars and computed answers stay, the landed rows go; nothing: the runs go.';
COMMENT ON COLUMN retention_rules.app IS 'Application, or a pattern with * and ?.';
COMMENT ON COLUMN retention_rules.branch IS 'Branch, likewise; * is also runs of an unknown one.';
COMMENT ON COLUMN retention_rules."rows" IS 'Landing tables of which it is: a name or a pattern.';
COMMENT ON COLUMN retention_rules.days IS 'Age of runs (days since they started, else since they landed) from which on it applies; of all it counts for nothing.';

CREATE TABLE forgotten_rows (
    run_id VARCHAR NOT NULL,
    source_id BIGINT NOT NULL,
    "table" VARCHAR NOT NULL,
    rows BIGINT NOT NULL,
    forgotten_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE forgotten_rows IS 'One row is a run, a source and a landing table whose rows of it pwh maintain deleted (retention_rules). What was computed of them stays as it was.';
COMMENT ON COLUMN forgotten_rows.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN forgotten_rows.source_id IS 'Source (sources.source_id).';
COMMENT ON COLUMN forgotten_rows."table" IS 'Landing table.';
COMMENT ON COLUMN forgotten_rows.rows IS 'Rows that were deleted.';
COMMENT ON COLUMN forgotten_rows.forgotten_at IS 'When.';
