-- Stored: the newest version of each application against the one before it; series part by part.

CREATE TABLE _version_comparisons (
    app VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    previous_version VARCHAR NOT NULL,
    runs VARCHAR[] NOT NULL,
    against VARCHAR[] NOT NULL,
    metrics STRUCT(
        series_id BIGINT, machine VARCHAR, fields_before MAP(VARCHAR, VARCHAR), fields_after MAP(VARCHAR, VARCHAR), metric VARCHAR, unit VARCHAR, verdict VARCHAR,
        direction VARCHAR, certain BOOLEAN, "before" DOUBLE, "after" DOUBLE, ratio DOUBLE, low DOUBLE, high DOUBLE, p_value DOUBLE,
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

COMMENT ON COLUMN app_versions.version IS 'Version; those of which all runs failed or are invalid (pwh ack) are left out.';
COMMENT ON COLUMN app_versions.version_order IS 'Place of the version, from 1, by its first run: by start, and where that is unknown by landing; where no start is known and all versions are numbers by these. Versions of equal place have no order.';

ALTER TABLE run_groups ADD COLUMN content UBIGINT;
COMMENT ON COLUMN run_groups.content IS 'Digest of all that is known of the run and of the files that it is made of.';

CREATE TABLE _series_parts (
    part_id VARCHAR NOT NULL,
    series_id BIGINT NOT NULL,
    part INTEGER NOT NULL,
    app VARCHAR NOT NULL,
    points INTEGER NOT NULL,
    before_next INTEGER NOT NULL,
    opening DOUBLE,
    closing DOUBLE,
    changes_of_any_size INTEGER NOT NULL,
    state STRUCT(
        machine VARCHAR, fields MAP(VARCHAR, VARCHAR), metric VARCHAR, unit VARCHAR,
        significance DOUBLE, smallest_change DOUBLE, state VARCHAR, level DOUBLE,
        smallest_visible DOUBLE, low DOUBLE, high DOUBLE, high_share DOUBLE, drift DOUBLE,
        latest_outlier DOUBLE, latest_outlier_run_id VARCHAR, provisional_of_any_size INTEGER
    ) NOT NULL,
    changes STRUCT(
        "index" INTEGER, "before" DOUBLE, "after" DOUBLE, p_value DOUBLE, more_runs INTEGER,
        run_id VARCHAR, version VARCHAR, "commit" VARCHAR,
        started_at TIMESTAMPTZ, previous_run_id VARCHAR, previous_version VARCHAR,
        previous_commit VARCHAR, near_after TIMESTAMPTZ, near_until TIMESTAMPTZ,
        next_run_id VARCHAR, next_started_at TIMESTAMPTZ, runs VARCHAR[], against VARCHAR[]
    )[] NOT NULL,
    disturbances STRUCT(
        "first" INTEGER, "last" INTEGER, usual DOUBLE, disturbed DOUBLE, run_id VARCHAR,
        version VARCHAR, started_at TIMESTAMPTZ, last_run_id VARCHAR, last_version VARCHAR,
        last_started_at TIMESTAMPTZ
    )[] NOT NULL
);
COMMENT ON TABLE _series_parts IS 'One row is a part of a series (all of one with up to 2000 runs), and what was found in it. Read series.';
COMMENT ON COLUMN _series_parts.part_id IS 'series_id and part, as text.';
COMMENT ON COLUMN _series_parts.series_id IS 'Series (series.series_id).';
COMMENT ON COLUMN _series_parts.part IS 'Part, from 0: runs from 1000 times this on, 2000 of them.';
COMMENT ON COLUMN _series_parts.app IS 'Application.';
COMMENT ON COLUMN _series_parts.points IS 'Runs in the part.';
COMMENT ON COLUMN _series_parts.before_next IS 'Those of them that are before the next part.';
COMMENT ON COLUMN _series_parts.opening IS 'Median of the first quarter of its runs.';
COMMENT ON COLUMN _series_parts.closing IS 'Median of the last quarter.';
COMMENT ON COLUMN _series_parts.changes_of_any_size IS 'Number of its changes, also of those that are smaller than smallest_change.';
COMMENT ON COLUMN _series_parts.state IS 'The columns of series of these names.';
COMMENT ON COLUMN _series_parts.changes IS 'Changes (series.changes) that count in this part; next_run_id and next_started_at are NULL.';
COMMENT ON COLUMN _series_parts.disturbances IS 'Bursts (series.disturbances) that count in this part.';
