-- Attribution of idle time, stored per run and computed from the task tables.

CREATE TABLE idle_intervals (
    run_id VARCHAR NOT NULL,
    source_id VARCHAR NOT NULL,
    mode VARCHAR NOT NULL,
    latency_rule VARCHAR NOT NULL,
    worker VARCHAR NOT NULL,
    t_start BIGINT NOT NULL,
    t_end BIGINT NOT NULL,
    kind VARCHAR NOT NULL,
    task VARCHAR,
    last_data VARCHAR,
    blamed_task VARCHAR,
    blamed_worker VARCHAR,
    starvation1 BIGINT NOT NULL,
    ov_concrete BIGINT NOT NULL,
    ov_uniform BIGINT NOT NULL,
    ov_rest BIGINT NOT NULL,
    ov_unsubmitted BIGINT NOT NULL,
    lat_inherited BIGINT NOT NULL,
    starvation BIGINT NOT NULL,
    latency BIGINT NOT NULL,
    overhead BIGINT NOT NULL,
    flags VARCHAR[]
);
COMMENT ON TABLE idle_intervals IS 'One row is one idle interval of a worker and what it is attributed to, in one mode and latency reading.';
COMMENT ON COLUMN idle_intervals.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN idle_intervals.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN idle_intervals.mode IS 'direct, propagated or transitive.';
COMMENT ON COLUMN idle_intervals.latency_rule IS 'union or last_arrival.';
COMMENT ON COLUMN idle_intervals.worker IS 'Worker that was idle.';
COMMENT ON COLUMN idle_intervals.t_start IS 'Start, ns after clock correction.';
COMMENT ON COLUMN idle_intervals.t_end IS 'End, ns after clock correction.';
COMMENT ON COLUMN idle_intervals.kind IS 'lead (before the first task), inner or tail (after the last).';
COMMENT ON COLUMN idle_intervals.task IS 'Task that ended it; NULL for a tail.';
COMMENT ON COLUMN idle_intervals.last_data IS 'Input that was made last.';
COMMENT ON COLUMN idle_intervals.blamed_task IS 'Producer of that input, where the worker starved for it.';
COMMENT ON COLUMN idle_intervals.blamed_worker IS 'Worker of that producer.';
COMMENT ON COLUMN idle_intervals.starvation1 IS 'Wait for the last input to be made, ns.';
COMMENT ON COLUMN idle_intervals.ov_concrete IS 'Of it: exact runtime work of the producer''s worker, ns.';
COMMENT ON COLUMN idle_intervals.ov_uniform IS 'Of it: expected share of runtime work known only as a total, ns.';
COMMENT ON COLUMN idle_intervals.ov_rest IS 'What neither starvation nor latency explains, ns.';
COMMENT ON COLUMN idle_intervals.ov_unsubmitted IS 'Of that: before the task was submitted, ns.';
COMMENT ON COLUMN idle_intervals.lat_inherited IS 'Latency of the producer''s own waits passed on (mode transitive), ns.';
COMMENT ON COLUMN idle_intervals.starvation IS 'No task was ready, ns.';
COMMENT ON COLUMN idle_intervals.latency IS 'Data were on the wire, ns.';
COMMENT ON COLUMN idle_intervals.overhead IS 'The runtime was in the way, ns.';
COMMENT ON COLUMN idle_intervals.flags IS 'causality, late_arrival, missing_transfer, neg_transfer.';

CREATE TABLE idle_segments (
    run_id VARCHAR NOT NULL,
    source_id VARCHAR NOT NULL,
    mode VARCHAR NOT NULL,
    latency_rule VARCHAR NOT NULL,
    worker VARCHAR NOT NULL,
    t_start BIGINT NOT NULL,
    t_end BIGINT NOT NULL,
    class VARCHAR NOT NULL
);
COMMENT ON TABLE idle_segments IS 'One row is one piece of an idle interval on the time axis.';
COMMENT ON COLUMN idle_segments.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN idle_segments.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN idle_segments.mode IS 'direct, propagated or transitive.';
COMMENT ON COLUMN idle_segments.latency_rule IS 'union or last_arrival.';
COMMENT ON COLUMN idle_segments.worker IS 'Worker that was idle.';
COMMENT ON COLUMN idle_segments.t_start IS 'Start, ns after clock correction.';
COMMENT ON COLUMN idle_segments.t_end IS 'End, ns after clock correction.';
COMMENT ON COLUMN idle_segments.class IS 'S starvation, C the producer''s runtime, X inherited latency, L latency, R rest.';
