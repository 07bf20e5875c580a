-- Events are stored, with ids for life.

CREATE TABLE _change_events (
    event_id BIGINT NOT NULL,
    app VARCHAR NOT NULL,
    event VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    version VARCHAR,
    previous_version VARCHAR,
    "commit" VARCHAR,
    previous_commit VARCHAR,
    run_id VARCHAR NOT NULL,
    previous_run_id VARCHAR,
    started_at TIMESTAMPTZ,
    machine VARCHAR,
    metric VARCHAR NOT NULL,
    unit VARCHAR,
    "before" DOUBLE,
    "after" DOUBLE,
    p_value DOUBLE,
    changes STRUCT(
        series_id BIGINT, run_id VARCHAR, started_at TIMESTAMPTZ, near_after TIMESTAMPTZ,
        near_until TIMESTAMPTZ, is_more BOOLEAN
    )[] NOT NULL
);
COMMENT ON TABLE _change_events IS 'One row is an event, present or withdrawn, with the changes that it consists of: read change_events.';

ALTER TABLE acknowledgements ADD COLUMN event_id BIGINT;
COMMENT ON COLUMN acknowledgements.event_id IS 'Event (change_events.event_id) of the change, to which it applies wherever later runs move that; NULL where the run is not the first of one.';
