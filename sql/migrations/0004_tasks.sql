-- Landing tables of task runtimes. Points in time are BIGINT nanoseconds on the node's own clock.

CREATE TABLE nodes (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    node VARCHAR NOT NULL,
    clock_offset_ns BIGINT
);
COMMENT ON TABLE nodes IS 'One row is one node that a task runtime ran on.';
COMMENT ON COLUMN nodes.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN nodes.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN nodes.node IS 'Node.';
COMMENT ON COLUMN nodes.clock_offset_ns IS 'What the node''s clock is ahead by: corrected time = local time - offset, ns.';

CREATE TABLE workers (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    worker VARCHAR NOT NULL,
    node VARCHAR,
    t_begin BIGINT,
    t_end BIGINT
);
COMMENT ON TABLE workers IS 'One row is one worker of a task runtime.';
COMMENT ON COLUMN workers.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN workers.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN workers.worker IS 'Worker.';
COMMENT ON COLUMN workers.node IS 'Node it ran on (nodes.node).';
COMMENT ON COLUMN workers.t_begin IS 'Start of the window in which it could work, ns on its node''s clock.';
COMMENT ON COLUMN workers.t_end IS 'End of that window, ns on its node''s clock.';

CREATE TABLE tasks (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    task VARCHAR NOT NULL,
    worker VARCHAR NOT NULL,
    name VARCHAR,
    t_submit BIGINT,
    t_ready BIGINT,
    t_start BIGINT NOT NULL,
    t_end BIGINT NOT NULL
);
COMMENT ON TABLE tasks IS 'One row is one run of one task (computation fragment).';
COMMENT ON COLUMN tasks.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN tasks.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN tasks.task IS 'Task; one that ran again has a number appended.';
COMMENT ON COLUMN tasks.worker IS 'Worker that ran it (workers.worker).';
COMMENT ON COLUMN tasks.name IS 'Type of task: its function or kernel.';
COMMENT ON COLUMN tasks.t_submit IS 'When the program asked for it, ns.';
COMMENT ON COLUMN tasks.t_ready IS 'When all its inputs existed, ns.';
COMMENT ON COLUMN tasks.t_start IS 'Start, ns on its node''s clock.';
COMMENT ON COLUMN tasks.t_end IS 'End, ns on its node''s clock.';

CREATE TABLE task_data (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    data VARCHAR NOT NULL,
    producer VARCHAR,
    node VARCHAR,
    t_ready BIGINT,
    bytes BIGINT
);
COMMENT ON TABLE task_data IS 'One row is one datum (data fragment).';
COMMENT ON COLUMN task_data.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN task_data.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN task_data.data IS 'Datum.';
COMMENT ON COLUMN task_data.producer IS 'Task that made it (tasks.task); NULL where it was there from the start.';
COMMENT ON COLUMN task_data.node IS 'Node where it was made; NULL: its producer''s.';
COMMENT ON COLUMN task_data.t_ready IS 'When it existed, ns; NULL: at its producer''s end.';
COMMENT ON COLUMN task_data.bytes IS 'Size, bytes.';

CREATE TABLE task_inputs (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    task VARCHAR NOT NULL,
    data VARCHAR NOT NULL
);
COMMENT ON TABLE task_inputs IS 'One row is one input of a task.';
COMMENT ON COLUMN task_inputs.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN task_inputs.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN task_inputs.task IS 'Task that reads.';
COMMENT ON COLUMN task_inputs.data IS 'Datum that it reads (task_data.data).';

CREATE TABLE transfers (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    data VARCHAR NOT NULL,
    from_node VARCHAR,
    to_node VARCHAR NOT NULL,
    t_send BIGINT,
    t_recv BIGINT NOT NULL,
    bytes BIGINT
);
COMMENT ON TABLE transfers IS 'One row is one hop of one datum between nodes.';
COMMENT ON COLUMN transfers.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN transfers.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN transfers.data IS 'Datum (task_data.data).';
COMMENT ON COLUMN transfers.from_node IS 'Node it left; NULL where unknown.';
COMMENT ON COLUMN transfers.to_node IS 'Node it came to.';
COMMENT ON COLUMN transfers.t_send IS 'When it left, ns on the sender''s clock.';
COMMENT ON COLUMN transfers.t_recv IS 'When it arrived, ns on the receiver''s clock.';
COMMENT ON COLUMN transfers.bytes IS 'Size, bytes.';

CREATE TABLE runtime_intervals (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    worker VARCHAR NOT NULL,
    t_start BIGINT NOT NULL,
    t_end BIGINT NOT NULL,
    total_ns BIGINT,
    state VARCHAR
);
COMMENT ON TABLE runtime_intervals IS 'One row is work of the runtime system itself on a worker: an exact interval, or a total within a window.';
COMMENT ON COLUMN runtime_intervals.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN runtime_intervals.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN runtime_intervals.worker IS 'Worker.';
COMMENT ON COLUMN runtime_intervals.t_start IS 'Start of the interval or window, ns.';
COMMENT ON COLUMN runtime_intervals.t_end IS 'End of the interval or window, ns.';
COMMENT ON COLUMN runtime_intervals.total_ns IS 'Work somewhere inside the window, ns; NULL: all of the interval.';
COMMENT ON COLUMN runtime_intervals.state IS 'What the runtime did, as it names it.';
