-- Critical paths: to find one takes as long as a small command, of large traces many seconds.

CREATE TABLE critical_paths ( -- One row is a part of the chain of tasks and waits that determines the end of a run; none of a run with more than two million tasks.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    step BIGINT NOT NULL, -- Its place, from the end backwards.
    t_start BIGINT NOT NULL, -- Start, ns after clock correction.
    t_end BIGINT NOT NULL, -- End, ns.
    worker VARCHAR, -- Worker.
    task VARCHAR, -- Task that ran, or that waited.
    name VARCHAR, -- Its type.
    cause VARCHAR NOT NULL, -- compute: the task ran; latency: its last input was in transit; overhead: all that it needed was there; submission: the program had not asked for it; starvation: for data without a known producer; unknown: the trace does not tell what it waited for.
    is_assumed BOOLEAN NOT NULL, -- Whether the path goes on, before it, with the task that ended last on any worker, as nothing else is known.
    ns BIGINT NOT NULL -- Length, ns.
);
