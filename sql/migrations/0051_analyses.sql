-- Analyses: what functions compute is stored, so that every client reads it (sql/analyses).

CREATE TABLE analyses (
    analysis VARCHAR NOT NULL,
    revision VARCHAR NOT NULL
);
COMMENT ON TABLE analyses IS 'One row is an analysis whose results are stored, and the revision by which they were computed.';
COMMENT ON COLUMN analyses.analysis IS 'Analysis: the name of its table and of its file in sql/analyses.';
COMMENT ON COLUMN analyses.revision IS 'Digest of its SQL and its functions; pwh migrate computes its rows again where it is not that of this pwh.';

CREATE TABLE analysis_states (
    analysis VARCHAR NOT NULL,
    key VARCHAR NOT NULL,
    scope VARCHAR NOT NULL,
    digest VARCHAR NOT NULL,
    failed VARCHAR
);
COMMENT ON TABLE analysis_states IS 'One row is a key of an analysis (a run, a series ...) whose rows are stored, and what they were computed from.';
COMMENT ON COLUMN analysis_states.analysis IS 'Analysis (analyses.analysis).';
COMMENT ON COLUMN analysis_states.key IS 'What was analysed: run_id, series_id ..., as text.';
COMMENT ON COLUMN analysis_states.scope IS 'What it belongs to, by which it is found when files land: a run or an application.';
COMMENT ON COLUMN analysis_states.digest IS 'Digest of all that the rows of this key were computed from.';
COMMENT ON COLUMN analysis_states.failed IS 'Why it could not be computed; there are no rows of this key then. NULL where it was.';

CREATE TABLE run_groups (
    run_id VARCHAR NOT NULL,
    app VARCHAR,
    configuration_id BIGINT,
    fields MAP(VARCHAR, VARCHAR),
    "commit" VARCHAR,
    set_id BIGINT
);
COMMENT ON TABLE run_groups IS 'One row is a run and what it is analysed together with.';
COMMENT ON COLUMN run_groups.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN run_groups.app IS 'Application.';
COMMENT ON COLUMN run_groups.configuration_id IS 'Number of what its application and fields are: runs with the same number are in the same series. NULL for runs that are in none: failed ones, invalid ones (acknowledgements), and those without an application.';
COMMENT ON COLUMN run_groups.fields IS 'Its values of the fields of series_fields; unknown ones are left out. NULL for failed and invalid runs.';
COMMENT ON COLUMN run_groups."commit" IS 'Its commit (the tag commit).';
COMMENT ON COLUMN run_groups.set_id IS 'Number of its application, version and machine: runs with the same number are one set of scaling_sets. NULL for failed runs.';

CREATE TABLE series (
    series_id BIGINT NOT NULL,
    app VARCHAR NOT NULL,
    machine VARCHAR,
    fields MAP(VARCHAR, VARCHAR) NOT NULL,
    metric VARCHAR NOT NULL,
    unit VARCHAR,
    points INTEGER NOT NULL,
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
    overall_change DOUBLE,
    changes_of_any_size INTEGER NOT NULL,
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
COMMENT ON TABLE series IS 'One row is a series of metric_series and all that is found in it. Read change_points, provisional_changes, disturbances and series_states instead: they have it a row each.';
COMMENT ON COLUMN series.series_id IS 'Number of the series: the same in every warehouse for the same application, fields and metric.';
COMMENT ON COLUMN series.app IS 'Application.';
COMMENT ON COLUMN series.machine IS 'Machine (metric_series.machine).';
COMMENT ON COLUMN series.fields IS 'What the runs of the series have in common (series_fields).';
COMMENT ON COLUMN series.metric IS 'Metric (run_metrics.metric).';
COMMENT ON COLUMN series.unit IS 'Unit of its values.';
COMMENT ON COLUMN series.points IS 'Runs in the series.';
COMMENT ON COLUMN series.significance IS 'The largest p_value that counts, as set for the series (change_thresholds).';
COMMENT ON COLUMN series.smallest_change IS 'Smallest relative change that is reported, as set for the series (change_thresholds).';
COMMENT ON COLUMN series.state IS 'Its state (series_states.state).';
COMMENT ON COLUMN series.level IS 'Median since the last change.';
COMMENT ON COLUMN series.smallest_visible IS 'Smallest lasting relative change that would be found (series_states.smallest_visible).';
COMMENT ON COLUMN series.low IS 'Lower one of two levels that alternate.';
COMMENT ON COLUMN series.high IS 'Upper one of two levels that alternate.';
COMMENT ON COLUMN series.high_share IS 'Share of the runs in the upper level.';
COMMENT ON COLUMN series.drift IS 'Rise of a series that drifts, relative to level (series_states.drift).';
COMMENT ON COLUMN series.latest_outlier IS 'Value of the latest run, where it is far from the level (series_states.latest_outlier).';
COMMENT ON COLUMN series.latest_outlier_run_id IS 'That run.';
COMMENT ON COLUMN series.overall_change IS 'Relative difference of the last and the first quarter (series_states.overall_change).';
COMMENT ON COLUMN series.changes_of_any_size IS 'Number of its changes, also of those that are smaller than smallest_change.';
COMMENT ON COLUMN series.provisional_of_any_size IS 'Number of its provisional changes, likewise.';
COMMENT ON COLUMN series.changes IS 'Certain changes (more_runs is NULL) and provisional ones, with the first run after and the last before (change_points, provisional_changes). An annotation that started after near_after and not after near_until is of this change. next_run_id: first run after the next change; runs and against: of a certain change the runs on both sides, up to the next and the previous one, of which the 30 nearest, 8 in a series that drifts.';
COMMENT ON COLUMN series.disturbances IS 'Bursts of runs far from the level around them (disturbances).';
