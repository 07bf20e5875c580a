-- How much shorter a run could be was computed anew each time it was asked, and no view knew it.

CREATE TABLE idle_gains ( -- One row is a change to a run and how much shorter it can make it; none of a run with more than two million tasks.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    change VARCHAR NOT NULL, -- no latency, no overhead, one more worker, or half as long: one of the eight longest parts of its critical path.
    name VARCHAR, -- Of such a part: the type of task.
    cause VARCHAR, -- Of such a part: what the time is (critical_paths.cause); else NULL.
    gain_at_most BIGINT NOT NULL, -- What it gains at most, ns, as in idle_what_if.
    percent DOUBLE NOT NULL, -- That, of the time from the first to the last moment of the run, %.
    replay_gain BIGINT, -- What a replay of the tasks gains, ns, as in idle_what_if; NULL where not replayed: there are more than 20,000 tasks.
    replay_percent DOUBLE, -- That, of the same time, %.
    is_recorded BOOLEAN NOT NULL, -- Whether the trace tells the cause of more than half of the waits.
    is_assumed BOOLEAN NOT NULL -- Whether tasks are taken as independent of each other because no chain of them is recorded: none reads what a task made that read something itself.
);
