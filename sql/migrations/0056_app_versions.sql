-- The order of versions, stored, so that run_metrics has it at the price of a small join.

CREATE TABLE app_versions (
    app VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    version_order INTEGER NOT NULL
);
COMMENT ON TABLE app_versions IS 'One row is a version of an application, and its place in their order.';
COMMENT ON COLUMN app_versions.app IS 'Application.';
COMMENT ON COLUMN app_versions.version IS 'Version; those of which all runs failed are left out.';
COMMENT ON COLUMN app_versions.version_order IS 'Place of the version, from 1: by the first runs where every version has one with a date, else by name, numbers within it taken as numbers.';
