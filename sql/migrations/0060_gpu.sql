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

CREATE TABLE gpu_gaps (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    device VARCHAR NOT NULL,
    stream VARCHAR,
    t_start BIGINT NOT NULL,
    t_end BIGINT NOT NULL,
    task VARCHAR NOT NULL,
    step BIGINT,
    sync_ns BIGINT NOT NULL,
    copy_ns BIGINT NOT NULL,
    memory_ns BIGINT NOT NULL,
    launch_ns BIGINT NOT NULL,
    operators_ns BIGINT NOT NULL,
    python_ns BIGINT NOT NULL,
    unrecorded_ns BIGINT NOT NULL,
    call_ns BIGINT NOT NULL,
    device_ns BIGINT NOT NULL,
    unknown_ns BIGINT NOT NULL,
    interpreter_ns BIGINT NOT NULL,
    is_other_stream BOOLEAN,
    late VARCHAR
);
COMMENT ON TABLE gpu_gaps IS 'One row is a time in which a device (stream is NULL) or one of its several streams was idle between two works, and why, by the call that launched the second: the ten parts add up to it, to the nanosecond.';
COMMENT ON COLUMN gpu_gaps.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN gpu_gaps.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN gpu_gaps.device IS 'Device.';
COMMENT ON COLUMN gpu_gaps.stream IS 'Stream (workers.worker); NULL where no stream of the device was busy.';
COMMENT ON COLUMN gpu_gaps.t_start IS 'End of the work before, ns.';
COMMENT ON COLUMN gpu_gaps.t_end IS 'Start of the work that ended it, ns.';
COMMENT ON COLUMN gpu_gaps.task IS 'That work (tasks.task).';
COMMENT ON COLUMN gpu_gaps.step IS 'Step in which it was launched; NULL where steps are not marked.';
COMMENT ON COLUMN gpu_gaps.sync_ns IS 'Before the call began, its thread waited in a call for the device or for other processes, ns.';
COMMENT ON COLUMN gpu_gaps.copy_ns IS 'Before the call began, its thread was in a call that copies, ns.';
COMMENT ON COLUMN gpu_gaps.memory_ns IS 'Before the call began, its thread was in a call that allocates or frees memory, ns.';
COMMENT ON COLUMN gpu_gaps.launch_ns IS 'Before the call began, its thread was in another call of the device''s interface, ns.';
COMMENT ON COLUMN gpu_gaps.operators_ns IS 'Before the call began, its thread was in operators of a framework, or functions of the host, ns.';
COMMENT ON COLUMN gpu_gaps.python_ns IS 'Before the call began, its thread was in recorded functions of Python, ns.';
COMMENT ON COLUMN gpu_gaps.unrecorded_ns IS 'Before the call began, nothing was recorded of its thread, ns; marks and ranges, which only cover others, do not count.';
COMMENT ON COLUMN gpu_gaps.call_ns IS 'While the call ran, ns.';
COMMENT ON COLUMN gpu_gaps.device_ns IS 'After it had returned: the device waited for another stream, or for itself, ns.';
COMMENT ON COLUMN gpu_gaps.unknown_ns IS 'No call is known, ns.';
COMMENT ON COLUMN gpu_gaps.interpreter_ns IS 'Of unrecorded_ns: stretches of less than 200 us between two things recorded, in which the interpreter works.';
COMMENT ON COLUMN gpu_gaps.is_other_stream IS 'Whether the work before was another stream''s.';
COMMENT ON COLUMN gpu_gaps.late IS 'What the thread did for most of the time before the call, by name; NULL where that was not recorded.';

CREATE TABLE gpu_late (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    device VARCHAR NOT NULL,
    step BIGINT,
    doing VARCHAR NOT NULL,
    name VARCHAR,
    gaps BIGINT NOT NULL,
    idle_ns BIGINT NOT NULL
);
COMMENT ON TABLE gpu_late IS 'One row is an operator, Python function or call of the host for which a device idled, summed over its gaps: it is what the thread did that launched the next work, before it called.';
COMMENT ON COLUMN gpu_late.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN gpu_late.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN gpu_late.device IS 'Device.';
COMMENT ON COLUMN gpu_late.step IS 'Step in which the work that ended the gaps was launched; NULL where steps are not marked.';
COMMENT ON COLUMN gpu_late.doing IS 'What the thread did: sync, copy, memory, launch, operators, python or unrecorded (gpu_gaps).';
COMMENT ON COLUMN gpu_late.name IS 'Its name; NULL where nothing was recorded.';
COMMENT ON COLUMN gpu_late.gaps IS 'Gaps with some of it.';
COMMENT ON COLUMN gpu_late.idle_ns IS 'Idle time of the device in which it ran, ns.';

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
    idle BIGINT,
    parts STRUCT(sync BIGINT, copy BIGINT, memory BIGINT, launch BIGINT, operators BIGINT, python BIGINT, unrecorded BIGINT, call BIGINT, device BIGINT, unknown BIGINT),
    interpreter BIGINT,
    dependency BIGINT,
    call_ns BIGINT
);
COMMENT ON TABLE _gpu_sums IS 'One row is a device, one of its several streams, or a device in a step, and what it did, as stored. Read gpu_activity, gpu_streams and gpu_steps.';
COMMENT ON COLUMN _gpu_sums.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN _gpu_sums.device IS 'Device.';
COMMENT ON COLUMN _gpu_sums.stream IS 'Stream; NULL for all of the device.';
COMMENT ON COLUMN _gpu_sums.step IS 'Step; NULL for all of them, and for what is in none of them.';
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
COMMENT ON COLUMN _gpu_sums.idle IS 'Idle time, ns.';
COMMENT ON COLUMN _gpu_sums.parts IS 'Idle time by part, ns.';
COMMENT ON COLUMN _gpu_sums.interpreter IS 'Of the idle time unrecorded: in which the interpreter worked, ns.';
COMMENT ON COLUMN _gpu_sums.dependency IS 'Of the idle time device: waits for other streams, ns.';
COMMENT ON COLUMN _gpu_sums.call_ns IS 'How long such a call takes on average, ns.';
