-- Critical paths: to find one takes as long as a small command, of large traces many seconds.

CREATE TABLE critical_paths (
    run_id VARCHAR NOT NULL,
    step BIGINT NOT NULL,
    t_start BIGINT NOT NULL,
    t_end BIGINT NOT NULL,
    worker VARCHAR,
    task VARCHAR,
    name VARCHAR,
    cause VARCHAR NOT NULL,
    is_assumed BOOLEAN NOT NULL,
    ns BIGINT NOT NULL
);
COMMENT ON TABLE critical_paths IS 'One row is a part of the chain of tasks and waits that determines the end of a run; none of a run with more than two million tasks.';
COMMENT ON COLUMN critical_paths.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN critical_paths.step IS 'Its place, from the end backwards.';
COMMENT ON COLUMN critical_paths.t_start IS 'Start, ns after clock correction.';
COMMENT ON COLUMN critical_paths.t_end IS 'End, ns.';
COMMENT ON COLUMN critical_paths.worker IS 'Worker.';
COMMENT ON COLUMN critical_paths.task IS 'Task that ran, or that waited.';
COMMENT ON COLUMN critical_paths.name IS 'Its type.';
COMMENT ON COLUMN critical_paths.cause IS 'compute: the task ran; latency: its last input was in transit; overhead: all that it needed was there; submission: the program had not asked for it; starvation: for data without a known producer; unknown: the trace does not tell what it waited for.';
COMMENT ON COLUMN critical_paths.is_assumed IS 'Whether the path goes on, before it, with the task that ended last on any worker, as nothing else is known.';
COMMENT ON COLUMN critical_paths.ns IS 'Length, ns.';
