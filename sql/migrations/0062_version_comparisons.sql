-- Stored: the newest version of each application against the one before it; series part by part.

CREATE TABLE version_comparisons (
    series_id BIGINT,
    app VARCHAR NOT NULL,
    machine VARCHAR,
    version VARCHAR NOT NULL,
    previous_version VARCHAR NOT NULL,
    fields_before MAP(VARCHAR, VARCHAR),
    fields_after MAP(VARCHAR, VARCHAR),
    metric VARCHAR NOT NULL,
    unit VARCHAR,
    verdict VARCHAR NOT NULL,
    "before" DOUBLE,
    "after" DOUBLE,
    ratio DOUBLE,
    low DOUBLE,
    high DOUBLE,
    p_value DOUBLE,
    runs_before BIGINT NOT NULL,
    runs_after BIGINT NOT NULL,
    noise VARCHAR,
    runs_to_settle INTEGER,
    better VARCHAR,
    smallest_change DOUBLE,
    share_before DOUBLE,
    share_after DOUBLE,
    place BIGINT NOT NULL,
    direction VARCHAR,
    certain BOOLEAN,
    runs VARCHAR[] NOT NULL,
    against VARCHAR[] NOT NULL
);
COMMENT ON TABLE version_comparisons IS 'One row is one metric of one configuration, of the newest version of an application against the one before it (app_versions): what comparison(against, runs) returns, stored. pwh compare, gate and the page Compare read it for these two.';
COMMENT ON COLUMN version_comparisons.series_id IS 'Series of the metric after (series.series_id); NULL where its runs are in none.';
COMMENT ON COLUMN version_comparisons.app IS 'Application.';
COMMENT ON COLUMN version_comparisons.machine IS 'Machine of the newest version; of several one of them.';
COMMENT ON COLUMN version_comparisons.version IS 'The newest version.';
COMMENT ON COLUMN version_comparisons.previous_version IS 'The one before it.';
COMMENT ON COLUMN version_comparisons.fields_before IS 'What the runs before have in common (run_configurations.configuration); NULL where there are none.';
COMMENT ON COLUMN version_comparisons.fields_after IS 'The same after.';
COMMENT ON COLUMN version_comparisons.metric IS 'Metric (run_metrics.metric, and idle:... of tasks).';
COMMENT ON COLUMN version_comparisons.unit IS 'Unit of before and after.';
COMMENT ON COLUMN version_comparisons.verdict IS 'worse, better, changed, same, uncertain, unknown, new or gone, as of comparison.';
COMMENT ON COLUMN version_comparisons."before" IS 'Geometric mean of the runs of the version before, or mean where values are not positive.';
COMMENT ON COLUMN version_comparisons."after" IS 'The same of the newest version.';
COMMENT ON COLUMN version_comparisons.ratio IS 'after over before; NULL where there is none.';
COMMENT ON COLUMN version_comparisons.low IS 'Lower end of its interval, which holds for all metrics of the two versions together with a probability of 95 %; NULL where it is unbounded or the noise is unknown.';
COMMENT ON COLUMN version_comparisons.high IS 'Upper end of it.';
COMMENT ON COLUMN version_comparisons.p_value IS 'Probability of such a difference without a change, corrected for the number of metrics; NULL where the noise is unknown.';
COMMENT ON COLUMN version_comparisons.runs_before IS 'Runs that before is the mean of.';
COMMENT ON COLUMN version_comparisons.runs_after IS 'Runs that after is the mean of.';
COMMENT ON COLUMN version_comparisons.noise IS 'Where the noise is from: runs, history, other side or usual (comparison); NULL where it is unknown.';
COMMENT ON COLUMN version_comparisons.runs_to_settle IS 'How many more runs of each version would show a difference as large, where it is not beyond the noise; NULL beyond 1000, and where a version has one run.';
COMMENT ON COLUMN version_comparisons.better IS 'lower or higher values; NULL where that is not known.';
COMMENT ON COLUMN version_comparisons.smallest_change IS 'Smallest relative change that counts (change_thresholds).';
COMMENT ON COLUMN version_comparisons.share_before IS 'Of functions the share in the time of all before, 0..1.';
COMMENT ON COLUMN version_comparisons.share_after IS 'The same after.';
COMMENT ON COLUMN version_comparisons.place IS 'Place among the metrics of the two versions, from 1: the worst first, then new functions that take time, then the largest changes.';
COMMENT ON COLUMN version_comparisons.direction IS 'worse or better, whether it is certain or not; NULL where that is not known.';
COMMENT ON COLUMN version_comparisons.certain IS 'Whether the difference is beyond the noise (p_value below 0.05); NULL where the noise is unknown.';
COMMENT ON COLUMN version_comparisons.runs IS 'The runs of the newest version (runs.run_id).';
COMMENT ON COLUMN version_comparisons.against IS 'Those of the version before.';

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
    machine VARCHAR,
    fields MAP(VARCHAR, VARCHAR) NOT NULL,
    metric VARCHAR NOT NULL,
    unit VARCHAR,
    significance DOUBLE,
    smallest_change DOUBLE,
    state VARCHAR NOT NULL,
    level DOUBLE,
    smallest_visible DOUBLE,
    low DOUBLE,
    high DOUBLE,
    high_share DOUBLE,
    drift DOUBLE,
    latest_outlier DOUBLE,
    latest_outlier_run_id VARCHAR,
    provisional_of_any_size INTEGER NOT NULL,
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
COMMENT ON COLUMN _series_parts.machine IS 'As series.machine, of the part.';
COMMENT ON COLUMN _series_parts.fields IS 'As series.fields, of the part.';
COMMENT ON COLUMN _series_parts.metric IS 'As series.metric, of the part.';
COMMENT ON COLUMN _series_parts.unit IS 'As series.unit, of the part.';
COMMENT ON COLUMN _series_parts.significance IS 'As series.significance, of the part.';
COMMENT ON COLUMN _series_parts.smallest_change IS 'As series.smallest_change, of the part.';
COMMENT ON COLUMN _series_parts.state IS 'As series.state, of the part.';
COMMENT ON COLUMN _series_parts.level IS 'As series.level, of the part.';
COMMENT ON COLUMN _series_parts.smallest_visible IS 'As series.smallest_visible, of the part.';
COMMENT ON COLUMN _series_parts.low IS 'As series.low, of the part.';
COMMENT ON COLUMN _series_parts.high IS 'As series.high, of the part.';
COMMENT ON COLUMN _series_parts.high_share IS 'As series.high_share, of the part.';
COMMENT ON COLUMN _series_parts.drift IS 'As series.drift, of the part.';
COMMENT ON COLUMN _series_parts.latest_outlier IS 'As series.latest_outlier, of the part.';
COMMENT ON COLUMN _series_parts.latest_outlier_run_id IS 'As series.latest_outlier_run_id, of the part.';
COMMENT ON COLUMN _series_parts.provisional_of_any_size IS 'As series.provisional_of_any_size, of the part.';
COMMENT ON COLUMN _series_parts.changes IS 'Changes (series.changes) that count in this part; next_run_id and next_started_at are NULL.';
COMMENT ON COLUMN _series_parts.disturbances IS 'Bursts (series.disturbances) that count in this part.';
