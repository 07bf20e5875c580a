-- History: which runs make one series, and what counts as a change in it.

CREATE TABLE series_fields (
    field VARCHAR NOT NULL PRIMARY KEY,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE series_fields IS 'One row is a field that all runs of a series have in common, beside the application. A run that does not say it is in no series with runs that do. Add a tag (compiler, cpu_model ...) to tell machines apart by it, delete a row to join them.';
COMMENT ON COLUMN series_fields.field IS 'machine, nodes, ranks, threads or problem_size of runs, or the key of a tag (runs.tags).';
COMMENT ON COLUMN series_fields.shipped IS 'Whether the row came with pwh.';

INSERT INTO series_fields VALUES
    ('machine', true), ('nodes', true), ('ranks', true), ('threads', true), ('problem_size', true);

CREATE TABLE change_thresholds (
    app VARCHAR NOT NULL DEFAULT '*',
    machine VARCHAR NOT NULL DEFAULT '*',
    metric VARCHAR NOT NULL DEFAULT '*',
    significance DOUBLE CHECK (significance > 0 AND significance < 1),
    smallest_change DOUBLE CHECK (smallest_change >= 0),
    better VARCHAR CHECK (better IN ('lower', 'higher', 'neither')),
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE change_thresholds IS 'One row says what counts as a change in the series that it matches; what it leaves NULL another row says. A row of the user''s wins over those that pwh brings, then the row with more letters that are no wildcards, then the last.';
COMMENT ON COLUMN change_thresholds.app IS 'Application, or a pattern with * and ?.';
COMMENT ON COLUMN change_thresholds.machine IS 'Machine, or a pattern; * also matches runs that do not say it.';
COMMENT ON COLUMN change_thresholds.metric IS 'Metric (run_metrics.metric), or a pattern.';
COMMENT ON COLUMN change_thresholds.significance IS 'Probability with which a series without a change may show one: larger finds more and errs more.';
COMMENT ON COLUMN change_thresholds.smallest_change IS 'Smallest relative change that is reported: 0.05 is 5 %.';
COMMENT ON COLUMN change_thresholds.better IS 'Which values are better: lower, higher or neither.';
COMMENT ON COLUMN change_thresholds.shipped IS 'Whether the row came with pwh.';

INSERT INTO change_thresholds (metric, significance, smallest_change, better, shipped) VALUES
    ('*', 0.002, 0, NULL, true),
    ('wall_seconds', NULL, NULL, 'lower', true),
    ('seconds:*', NULL, NULL, 'lower', true),
    ('functions:seconds', NULL, NULL, 'lower', true),
    ('counter:*cycles*', NULL, NULL, 'lower', true),
    ('*:*miss*', NULL, NULL, 'lower', true),
    ('per_cycle:*instructions*', NULL, NULL, 'higher', true),
    ('per_cycle:PAPI_TOT_INS', NULL, NULL, 'higher', true),
    ('tasks:busy_share', NULL, NULL, 'higher', true),
    ('tasks:idle_share', NULL, NULL, 'lower', true),
    ('tasks:tail_share', NULL, NULL, 'lower', true),
    ('segments:ipc', NULL, NULL, 'higher', true);
