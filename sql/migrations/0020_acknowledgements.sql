-- Triage of changes: what is known of a change, or of a run.

CREATE TABLE acknowledgements (
    run_id VARCHAR NOT NULL,
    app VARCHAR NOT NULL,
    version VARCHAR,
    started_at TIMESTAMPTZ NOT NULL,
    metric VARCHAR NOT NULL DEFAULT '*',
    reason VARCHAR NOT NULL CHECK (reason IN ('expected', 'noise', 'invalid run', 'fixed')),
    fixed_in VARCHAR CHECK (fixed_in IS NULL OR reason = 'fixed'),
    note VARCHAR,
    said_by VARCHAR,
    said_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE acknowledgements IS 'One row is a manual annotation (pwh ack) of a change, named by its first run, or of an invalid run. It applies to changes of the application that are at that version, or within three runs of that start, because more runs may move a change by a few; of several the latest counts. Invalid runs are in no series.';
COMMENT ON COLUMN acknowledgements.run_id IS 'Run: the first after the change, or the invalid one.';
COMMENT ON COLUMN acknowledgements.app IS 'Its application.';
COMMENT ON COLUMN acknowledgements.version IS 'Its version.';
COMMENT ON COLUMN acknowledgements.started_at IS 'When it started.';
COMMENT ON COLUMN acknowledgements.metric IS 'Metrics to which it applies: a name or a pattern with * and ?.';
COMMENT ON COLUMN acknowledgements.reason IS 'expected: an intended change; noise: no change of the program; invalid run: the run was measured wrongly; fixed: a later version undoes the change.';
COMMENT ON COLUMN acknowledgements.fixed_in IS 'Version that undoes the change, where reason is fixed.';
COMMENT ON COLUMN acknowledgements.note IS 'Anything else.';
COMMENT ON COLUMN acknowledgements.said_by IS 'Author of the annotation.';
COMMENT ON COLUMN acknowledgements.said_at IS 'When it was given.';
