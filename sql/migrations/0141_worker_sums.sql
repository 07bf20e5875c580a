-- Sums of idle time by worker: to add them up takes longer than all else that is asked of them.

CREATE TABLE _worker_sums (
    run_id VARCHAR,
    mode VARCHAR,
    latency_rule VARCHAR,
    worker VARCHAR,
    node VARCHAR,
    intervals BIGINT,
    wall BIGINT,
    busy BIGINT,
    starvation BIGINT,
    latency BIGINT,
    overhead BIGINT,
    unsubmitted BIGINT,
    not_recorded BIGINT,
    unfollowed BIGINT,
    tail BIGINT,
    kind VARCHAR,
    is_judged BOOLEAN
);
COMMENT ON TABLE _worker_sums IS 'One row is one worker of a run in one reading: slo_by_worker without what follows from other columns.';
COMMENT ON COLUMN _worker_sums.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN _worker_sums.mode IS 'Reading (idle_attribution.mode).';
COMMENT ON COLUMN _worker_sums.latency_rule IS 'Reading (idle_attribution.latency_rule).';
COMMENT ON COLUMN _worker_sums.worker IS 'Worker.';
COMMENT ON COLUMN _worker_sums.node IS 'Its node.';
COMMENT ON COLUMN _worker_sums.intervals IS 'Idle intervals, tails left out.';
COMMENT ON COLUMN _worker_sums.wall IS 'Its window, ns.';
COMMENT ON COLUMN _worker_sums.busy IS 'Time in which it ran tasks, ns.';
COMMENT ON COLUMN _worker_sums.starvation IS 'Idle time without a task that is ready, tails left out, ns.';
COMMENT ON COLUMN _worker_sums.latency IS 'Idle time in which data were on the wire, ns.';
COMMENT ON COLUMN _worker_sums.overhead IS 'Other idle time, ns.';
COMMENT ON COLUMN _worker_sums.unsubmitted IS 'Of it: before the task was submitted, ns.';
COMMENT ON COLUMN _worker_sums.not_recorded IS 'Of it: of which the trace does not tell the cause, ns.';
COMMENT ON COLUMN _worker_sums.unfollowed IS 'Of that: of waits whose inputs are recorded, ns.';
COMMENT ON COLUMN _worker_sums.tail IS 'Idle time after its last task, ns.';
COMMENT ON COLUMN _worker_sums.kind IS 'What it is: cpu, process, runtime, host, stream or copy.';
COMMENT ON COLUMN _worker_sums.is_judged IS 'Whether it is there to work.';
