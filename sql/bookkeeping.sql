-- What pwh records of the warehouse itself: its migrations and view modules.

CREATE TABLE IF NOT EXISTS migrations (
    name VARCHAR NOT NULL,
    applied_at TIMESTAMPTZ NOT NULL,
    pwh_version VARCHAR NOT NULL
);
COMMENT ON TABLE migrations IS 'One row is one change of the schema that this warehouse has had.';
COMMENT ON COLUMN migrations.name IS 'File in sql/migrations, without .sql.';
COMMENT ON COLUMN migrations.applied_at IS 'When it was applied.';
COMMENT ON COLUMN migrations.pwh_version IS 'Version of pwh that applied it.';

CREATE TABLE IF NOT EXISTS view_modules (
    name VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    views VARCHAR[] NOT NULL,
    macros VARCHAR[] NOT NULL,
    pwh_version VARCHAR NOT NULL
);
COMMENT ON TABLE view_modules IS 'One row is one module of views, as created in this warehouse.';
COMMENT ON COLUMN view_modules.name IS 'File in sql/views, without .sql.';
COMMENT ON COLUMN view_modules.sha256 IS 'SHA-256 of its text.';
COMMENT ON COLUMN view_modules.views IS 'Views it made.';
COMMENT ON COLUMN view_modules.macros IS 'Table macros it made.';
COMMENT ON COLUMN view_modules.pwh_version IS 'Version of pwh that made them.';
