-- The newest version of each application against the one before it, stored.

CREATE TABLE _version_comparisons (
    app VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    previous_version VARCHAR NOT NULL,
    runs VARCHAR[] NOT NULL,
    against VARCHAR[] NOT NULL,
    metrics STRUCT(
        machine VARCHAR, configuration_id BIGINT, fields_before MAP(VARCHAR, VARCHAR),
        fields_after MAP(VARCHAR, VARCHAR), metric VARCHAR, unit VARCHAR, verdict VARCHAR,
        "before" DOUBLE, "after" DOUBLE, ratio DOUBLE, low DOUBLE, high DOUBLE, p_value DOUBLE,
        runs_before BIGINT, runs_after BIGINT, noise VARCHAR, runs_to_settle INTEGER,
        better VARCHAR, smallest_change DOUBLE, share_before DOUBLE, share_after DOUBLE,
        place BIGINT
    )[] NOT NULL
);
COMMENT ON TABLE _version_comparisons IS 'One row is the newest version of an application and the one before it, compared. Read version_comparisons, which has a row for each metric.';
COMMENT ON COLUMN _version_comparisons.app IS 'Application.';
COMMENT ON COLUMN _version_comparisons.version IS 'The newest version.';
COMMENT ON COLUMN _version_comparisons.previous_version IS 'The one before it.';
COMMENT ON COLUMN _version_comparisons.runs IS 'The runs of the newest version.';
COMMENT ON COLUMN _version_comparisons.against IS 'Those of the version before.';
COMMENT ON COLUMN _version_comparisons.metrics IS 'Their metrics, as in version_comparisons.';

COMMENT ON COLUMN app_versions.version_order IS 'Place of the version, from 1, by its first run: by start, and where that is unknown by landing; where no start is known and all versions are numbers by these. Versions of equal place have no order.';
