-- Attribution of idle time, stored per run and computed from the task tables.

CREATE TABLE idle_intervals (
    run_id VARCHAR NOT NULL,
    source_id BIGINT NOT NULL,
    worker VARCHAR NOT NULL,
    t_start BIGINT NOT NULL,
    t_end BIGINT NOT NULL,
    kind ENUM('lead', 'inner', 'tail') NOT NULL,
    task VARCHAR,
    t_submit BIGINT,
    last_data VARCHAR,
    t_arrival BIGINT,
    blamed_task VARCHAR,
    blamed_worker VARCHAR,
    starvation1 BIGINT NOT NULL,
    ov_concrete BIGINT NOT NULL,
    ov_uniform BIGINT NOT NULL,
    ov_rest BIGINT NOT NULL,
    ov_unsubmitted BIGINT NOT NULL,
    starvation BIGINT NOT NULL,
    latency BIGINT NOT NULL,
    overhead BIGINT NOT NULL,
    inherited_union STRUCT(
        ov_concrete BIGINT, lat_inherited BIGINT,
        ov_uniform_propagated BIGINT, ov_uniform_transitive BIGINT
    ),
    inherited_last_arrival STRUCT(
        ov_concrete BIGINT, lat_inherited BIGINT,
        ov_uniform_propagated BIGINT, ov_uniform_transitive BIGINT
    ),
    flags VARCHAR[]
);
COMMENT ON TABLE idle_intervals IS 'One row is one idle interval of a worker and what it is attributed to in the direct mode with union latency, with what the other readings need (idle_attribution has them all).';
COMMENT ON COLUMN idle_intervals.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN idle_intervals.source_id IS 'File whose ingestion computed the row (sources.source_id).';
COMMENT ON COLUMN idle_intervals.worker IS 'Worker that was idle.';
COMMENT ON COLUMN idle_intervals.t_start IS 'Start, ns after clock correction.';
COMMENT ON COLUMN idle_intervals.t_end IS 'End, ns after clock correction.';
COMMENT ON COLUMN idle_intervals.kind IS 'lead (before the first task), inner or tail (after the last).';
COMMENT ON COLUMN idle_intervals.task IS 'Task that ended it; NULL for a tail.';
COMMENT ON COLUMN idle_intervals.t_submit IS 'When that task was submitted, ns after clock correction.';
COMMENT ON COLUMN idle_intervals.last_data IS 'Input of the task that was made last; NULL where no input is known.';
COMMENT ON COLUMN idle_intervals.t_arrival IS 'When the last of the inputs from other nodes arrived, ns after clock correction.';
COMMENT ON COLUMN idle_intervals.blamed_task IS 'Producer of last_data, where the worker starved for it.';
COMMENT ON COLUMN idle_intervals.blamed_worker IS 'Worker of that producer.';
COMMENT ON COLUMN idle_intervals.starvation1 IS 'Wait for the last input to be made, ns.';
COMMENT ON COLUMN idle_intervals.ov_concrete IS 'Of it: exact runtime work of the producer''s worker, ns.';
COMMENT ON COLUMN idle_intervals.ov_uniform IS 'Of it: expected share of runtime work known only as a total, ns.';
COMMENT ON COLUMN idle_intervals.ov_rest IS 'What neither starvation nor latency explains, ns.';
COMMENT ON COLUMN idle_intervals.ov_unsubmitted IS 'Of that: before the task was submitted, ns.';
COMMENT ON COLUMN idle_intervals.starvation IS 'No task was ready, ns.';
COMMENT ON COLUMN idle_intervals.latency IS 'Data were on the wire, ns.';
COMMENT ON COLUMN idle_intervals.overhead IS 'The runtime was in the way, ns.';
COMMENT ON COLUMN idle_intervals.inherited_union IS 'Parts of starvation1 that differ in the modes propagated and transitive, union latency, ns; NULL where nothing is inherited.';
COMMENT ON COLUMN idle_intervals.inherited_last_arrival IS 'The same with last_arrival latency, ns.';
COMMENT ON COLUMN idle_intervals.flags IS 'Of causality, late_arrival, missing_transfer, neg_transfer; NULL where none holds.';

CREATE TABLE idle_latency (
    run_id VARCHAR NOT NULL,
    source_id BIGINT NOT NULL,
    worker VARCHAR NOT NULL,
    t_start BIGINT NOT NULL,
    t_end BIGINT NOT NULL
);
COMMENT ON TABLE idle_latency IS 'One row is one stretch of an idle interval, after its starvation, in which inputs were on the wire (union latency).';
COMMENT ON COLUMN idle_latency.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN idle_latency.source_id IS 'File whose ingestion computed the row (sources.source_id).';
COMMENT ON COLUMN idle_latency.worker IS 'Worker that was idle.';
COMMENT ON COLUMN idle_latency.t_start IS 'Start, ns after clock correction.';
COMMENT ON COLUMN idle_latency.t_end IS 'End, ns after clock correction.';

CREATE TABLE idle_segments (
    run_id VARCHAR NOT NULL,
    source_id BIGINT NOT NULL,
    mode VARCHAR NOT NULL,
    latency_rule VARCHAR NOT NULL,
    worker VARCHAR NOT NULL,
    t_start BIGINT NOT NULL,
    t_end BIGINT NOT NULL,
    class VARCHAR NOT NULL
);
COMMENT ON TABLE idle_segments IS 'One row is one piece of an idle interval on the time axis. Stored for runs of up to 10 000 idle intervals; idle_timeline(run, t0, t1) gives the pieces of any run.';
COMMENT ON COLUMN idle_segments.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN idle_segments.source_id IS 'File whose ingestion computed the row (sources.source_id).';
COMMENT ON COLUMN idle_segments.mode IS 'direct, propagated or transitive.';
COMMENT ON COLUMN idle_segments.latency_rule IS 'union or last_arrival.';
COMMENT ON COLUMN idle_segments.worker IS 'Worker that was idle.';
COMMENT ON COLUMN idle_segments.t_start IS 'Start, ns after clock correction.';
COMMENT ON COLUMN idle_segments.t_end IS 'End, ns after clock correction.';
COMMENT ON COLUMN idle_segments.class IS 'S starvation (the uniform share of overhead is within it), C the producer''s runtime and inherited overhead, X inherited latency, L latency, R rest.';
