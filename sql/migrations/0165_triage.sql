-- Triage of changes: who works on one, how far, and where that is written down.

-- A check cannot be changed, so the table is made anew.
CREATE TEMP TABLE earlier_acknowledgements AS FROM acknowledgements;
DROP TABLE acknowledgements;
CREATE TABLE acknowledgements (
    event_id BIGINT,
    run_id VARCHAR NOT NULL,
    app VARCHAR NOT NULL,
    version VARCHAR,
    started_at TIMESTAMPTZ NOT NULL,
    metric VARCHAR NOT NULL DEFAULT '*',
    reason VARCHAR NOT NULL CHECK (
        reason IN ('new', 'investigating', 'expected', 'noise', 'invalid run', 'fixed')
    ),
    fixed_in VARCHAR CHECK (fixed_in IS NULL OR reason = 'fixed'),
    owner VARCHAR,
    ticket VARCHAR,
    note VARCHAR,
    said_by VARCHAR,
    said_at TIMESTAMPTZ NOT NULL
);
INSERT INTO acknowledgements BY NAME FROM earlier_acknowledgements;
DROP TABLE earlier_acknowledgements;
COMMENT ON TABLE acknowledgements IS 'One row is a manual annotation (pwh events, pwh ack) of a change, named by its first run, or of an invalid run. It applies to changes of the application that are at that version, or within three runs of that start, because more runs may move a change by a few; of several the latest counts, which repeats what it leaves as it was. Invalid runs are in no series.';
COMMENT ON COLUMN acknowledgements.event_id IS 'Event (change_events.event_id) of the change, to which it applies wherever later runs move that; NULL where the run is not the first of one.';
COMMENT ON COLUMN acknowledgements.run_id IS 'Run: the first after the change, or the invalid one.';
COMMENT ON COLUMN acknowledgements.app IS 'Its application.';
COMMENT ON COLUMN acknowledgements.version IS 'Its version.';
COMMENT ON COLUMN acknowledgements.started_at IS 'When its commit was made, else when it started: where its history has the change.';
COMMENT ON COLUMN acknowledgements.metric IS 'Metrics to which it applies: a name or a pattern with * and ?.';
COMMENT ON COLUMN acknowledgements.reason IS 'new: nothing is decided; investigating: somebody looks for the cause; expected: an intended change; noise: no change of the program; invalid run: the run was measured wrongly; fixed: a later version undoes the change, as later runs have to show (change_events.fix). Of new and investigating the change stays open.';
COMMENT ON COLUMN acknowledgements.fixed_in IS 'Version, or commit by its first seven digits or more, that undoes the change, where reason is fixed.';
COMMENT ON COLUMN acknowledgements.owner IS 'Who takes care of it.';
COMMENT ON COLUMN acknowledgements.ticket IS 'Address of the ticket.';
COMMENT ON COLUMN acknowledgements.note IS 'Anything else.';
COMMENT ON COLUMN acknowledgements.said_by IS 'Author of the annotation.';
COMMENT ON COLUMN acknowledgements.said_at IS 'When it was given.';
