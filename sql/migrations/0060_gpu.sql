-- What GPUs executed and which calls launched it, what the threads that launch such do, and what
-- limits a GPU.

ALTER TABLE workers ADD COLUMN device VARCHAR;
COMMENT ON COLUMN workers.device IS 'Device whose stream, queue or copy engine it is; NULL for a thread.';

ALTER TABLE tasks ADD COLUMN kind VARCHAR;
ALTER TABLE tasks ADD COLUMN bytes BIGINT;
ALTER TABLE tasks ADD COLUMN t_submitted BIGINT;
ALTER TABLE tasks ADD COLUMN submitter VARCHAR;
ALTER TABLE tasks ADD COLUMN operator VARCHAR;
ALTER TABLE tasks ADD COLUMN step BIGINT;
COMMENT ON COLUMN tasks.t_submit IS 'When the program asked for it, ns: of work of a device, when the call that launched it began.';
COMMENT ON COLUMN tasks.kind IS 'Of work of a device: kernel, copy, fill or communication (between devices).';
COMMENT ON COLUMN tasks.bytes IS 'Bytes that a copy or fill moves.';
COMMENT ON COLUMN tasks.t_submitted IS 'When the call that launched it returned, ns.';
COMMENT ON COLUMN tasks.submitter IS 'Thread of that call (workers.worker).';
COMMENT ON COLUMN tasks.operator IS 'Innermost operator of the framework within which it was launched.';
COMMENT ON COLUMN tasks.step IS 'Step of the program in which it was launched, as a mark numbers it.';

CREATE TABLE host_activity (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    worker VARCHAR NOT NULL,
    t_start BIGINT NOT NULL,
    t_end BIGINT NOT NULL,
    doing VARCHAR NOT NULL,
    name VARCHAR,
    operator VARCHAR
);
COMMENT ON TABLE host_activity IS 'One row is a time in which a thread that launches work of a device did one thing: the innermost of what was recorded. In times without a row nothing was; marks and ranges, which only cover others, do not count.';
COMMENT ON COLUMN host_activity.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN host_activity.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN host_activity.worker IS 'Thread (workers.worker).';
COMMENT ON COLUMN host_activity.t_start IS 'Start, ns on its node''s clock.';
COMMENT ON COLUMN host_activity.t_end IS 'End, ns on its node''s clock.';
COMMENT ON COLUMN host_activity.doing IS 'sync (a call that waits for the device, or for other processes), copy (a call that copies), memory (one that allocates or frees), launch (other calls of the device''s interface), operators (of a framework, and other functions of the host) or python (a Python function).';
COMMENT ON COLUMN host_activity.name IS 'Name of the call, operator or function.';
COMMENT ON COLUMN host_activity.operator IS 'Innermost operator around it, or itself; NULL where there is none.';

CREATE TABLE gpu_idle_pieces (
    run_id VARCHAR,
    device VARCHAR,
    stream VARCHAR,
    gap BIGINT,
    t_start BIGINT,
    t_end BIGINT,
    part VARCHAR,
    name VARCHAR,
    operator VARCHAR,
    is_interpreter BOOLEAN,
    is_dependency BOOLEAN,
    task VARCHAR,
    step BIGINT
);
COMMENT ON TABLE gpu_idle_pieces IS 'One row is a piece of a gap, in which a device (stream is NULL) or one of its several streams was idle, and why. The pieces of a gap follow each other and are the whole of it.';
COMMENT ON COLUMN gpu_idle_pieces.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN gpu_idle_pieces.device IS 'Device.';
COMMENT ON COLUMN gpu_idle_pieces.stream IS 'Stream (workers.worker); NULL for gaps in which no stream of the device was busy.';
COMMENT ON COLUMN gpu_idle_pieces.gap IS 'Gap, from 1 in order of time.';
COMMENT ON COLUMN gpu_idle_pieces.t_start IS 'Start, ns.';
COMMENT ON COLUMN gpu_idle_pieces.t_end IS 'End, ns.';
COMMENT ON COLUMN gpu_idle_pieces.part IS 'Before the call began that launched what ended the gap, what its thread did: sync, copy, memory, launch, operators, python (host_activity) or unrecorded. While it ran: call. After it had returned: device. Where no call is known: unknown.';
COMMENT ON COLUMN gpu_idle_pieces.name IS 'What the thread did by name, and of a call what it launched.';
COMMENT ON COLUMN gpu_idle_pieces.operator IS 'Innermost operator around that; NULL where there is none.';
COMMENT ON COLUMN gpu_idle_pieces.is_interpreter IS 'Whether nothing was recorded for less than 200 us between two things that were: there the interpreter works.';
COMMENT ON COLUMN gpu_idle_pieces.is_dependency IS 'Whether launched work waited for more than 10 us after another stream.';
COMMENT ON COLUMN gpu_idle_pieces.task IS 'Work that ended the gap (tasks.task).';
COMMENT ON COLUMN gpu_idle_pieces.step IS 'Step in which that was launched; NULL where steps are not marked.';

CREATE TABLE _gpu_sums (
    run_id VARCHAR,
    device VARCHAR,
    stream VARCHAR,
    step BIGINT,
    is_step BOOLEAN,
    t_begin BIGINT,
    t_end BIGINT,
    activities BIGINT,
    busy BIGINT,
    computing BIGINT,
    copying BIGINT,
    communicating BIGINT,
    copied_bytes BIGINT,
    copied_ns BIGINT,
    pageable_ns BIGINT,
    pinned_ns BIGINT,
    operations STRUCT(ns BIGINT, operation VARCHAR)[],
    idle MAP(VARCHAR, BIGINT),
    interpreter BIGINT,
    dependency BIGINT,
    fed BIGINT,
    fed_gaps BIGINT,
    calls BIGINT
);
COMMENT ON TABLE _gpu_sums IS 'One row is a device, one of its several streams, or a device in a step, and what it did, as stored. Read gpu_activity, gpu_streams and gpu_steps.';
COMMENT ON COLUMN _gpu_sums.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN _gpu_sums.device IS 'Device.';
COMMENT ON COLUMN _gpu_sums.stream IS 'Stream; NULL for all of the device.';
COMMENT ON COLUMN _gpu_sums.step IS 'Step; NULL for all of them, and for what is in none.';
COMMENT ON COLUMN _gpu_sums.is_step IS 'Whether the row is of a step.';
COMMENT ON COLUMN _gpu_sums.t_begin IS 'First start of work, ns.';
COMMENT ON COLUMN _gpu_sums.t_end IS 'Last end, ns.';
COMMENT ON COLUMN _gpu_sums.activities IS 'Kernels, copies and fills.';
COMMENT ON COLUMN _gpu_sums.busy IS 'Time in which any of them ran, ns.';
COMMENT ON COLUMN _gpu_sums.computing IS 'Time in which kernels ran, ns.';
COMMENT ON COLUMN _gpu_sums.copying IS 'Time in which copies or fills ran, ns.';
COMMENT ON COLUMN _gpu_sums.communicating IS 'Time in which communication between devices ran, ns.';
COMMENT ON COLUMN _gpu_sums.copied_bytes IS 'Bytes of copies of which they are known.';
COMMENT ON COLUMN _gpu_sums.copied_ns IS 'Durations of those, ns.';
COMMENT ON COLUMN _gpu_sums.pageable_ns IS 'Durations of copies from or to pageable memory, ns.';
COMMENT ON COLUMN _gpu_sums.pinned_ns IS 'Durations of copies from or to pinned memory, ns.';
COMMENT ON COLUMN _gpu_sums.operations IS 'Kinds of operations and the sums of their durations, the longest first.';
COMMENT ON COLUMN _gpu_sums.idle IS 'Idle time by part, ns.';
COMMENT ON COLUMN _gpu_sums.interpreter IS 'Of the idle time unrecorded: in which the interpreter worked, ns.';
COMMENT ON COLUMN _gpu_sums.dependency IS 'Of the idle time device: waits for other streams, ns.';
COMMENT ON COLUMN _gpu_sums.fed IS 'Idle time between works that had been launched before, ns.';
COMMENT ON COLUMN _gpu_sums.fed_gaps IS 'Gaps of those.';
COMMENT ON COLUMN _gpu_sums.calls IS 'Calls that launched work.';
