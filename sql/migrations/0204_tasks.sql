-- Traces of tasks, launches of a GPU among them: what workers did, and why they were idle.

CREATE TABLE nodes ( -- One row is one node that a task runtime ran on.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    node VARCHAR NOT NULL, -- Node.
    clock_offset_ns BIGINT -- What the node's clock is ahead by: corrected time = local time - offset, ns.
);

CREATE TABLE workers ( -- One row is one worker of a task runtime.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    worker VARCHAR NOT NULL, -- Worker.
    node VARCHAR, -- Node it ran on (nodes.node).
    t_begin BIGINT, -- Start of the window in which it could work, ns on its node's clock.
    t_end BIGINT, -- End of that window, ns on its node's clock.
    device VARCHAR -- Device whose stream, queue or copy engine it is; NULL for a thread.
);

CREATE TABLE tasks ( -- One row is one run of one task (computation fragment).
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    task VARCHAR NOT NULL, -- Task; one that ran again has a number appended.
    worker VARCHAR NOT NULL, -- Worker that ran it (workers.worker).
    name VARCHAR, -- Type of task: its function or kernel.
    t_submit BIGINT, -- When the program asked for it, ns: of work of a device, when the call that launched it began.
    t_ready BIGINT, -- When all its inputs existed, ns.
    t_start BIGINT NOT NULL, -- Start, ns on its node's clock.
    t_end BIGINT NOT NULL, -- End, ns on its node's clock.
    kind VARCHAR, -- Of work of a device: kernel, copy, fill or communication (between devices).
    bytes BIGINT, -- Bytes that a copy or fill moves.
    t_submitted BIGINT, -- When the call that launched it returned, ns.
    submitter VARCHAR, -- Thread of that call (workers.worker).
    operator VARCHAR, -- Innermost operator of the framework within which it was launched.
    step BIGINT, -- Step of the program in which it was launched, as a mark numbers it.
    module VARCHAR -- Innermost module of the program (nn.Module of PyTorch) within which it was launched; NULL where modules are not recorded.
);

CREATE TABLE task_data ( -- One row is one datum (data fragment).
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    data VARCHAR NOT NULL, -- Datum.
    producer VARCHAR, -- Task that made it (tasks.task); NULL where it was there from the start.
    node VARCHAR, -- Node where it was made; NULL: its producer's.
    t_ready BIGINT, -- When it existed, ns; NULL: at its producer's end.
    bytes BIGINT -- Size, bytes.
);

CREATE TABLE task_inputs ( -- One row is one input of a task.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    task VARCHAR NOT NULL, -- Task that reads.
    data VARCHAR NOT NULL, -- Datum that it reads (task_data.data).
    t_arrived BIGINT, -- Where an arrow of the trace brought it: the arrow's end, ns on the clock of the reader's node.
    is_sent BOOLEAN -- Whether the arrow says that something was sent, so that it was in transit until t_arrived; false: what happened between the ends of the arrow is unknown; NULL: no arrow.
);

CREATE TABLE transfers ( -- One row is one hop of one datum between nodes.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    data VARCHAR NOT NULL, -- Datum (task_data.data).
    from_node VARCHAR, -- Node it left; NULL where unknown.
    to_node VARCHAR NOT NULL, -- Node it came to.
    t_send BIGINT, -- When it left, ns on the sender's clock.
    t_recv BIGINT NOT NULL, -- When it arrived, ns on the receiver's clock.
    bytes BIGINT -- Size, bytes.
);

CREATE TABLE runtime_intervals ( -- One row is work of the runtime system itself on a worker: an exact interval, or a total within a window.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    worker VARCHAR NOT NULL, -- Worker.
    t_start BIGINT NOT NULL, -- Start of the interval or window, ns.
    t_end BIGINT NOT NULL, -- End of the interval or window, ns.
    total_ns BIGINT, -- Work somewhere inside the window, ns; NULL: all of the interval.
    state VARCHAR -- What the runtime did, as it names it.
);

CREATE TABLE idle_intervals ( -- One row is one idle interval of a worker and what it is attributed to in the direct mode with union latency, with what the other readings need (idle_attribution has them all).
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File whose ingestion computed the row (sources.source_id).
    worker VARCHAR NOT NULL, -- Worker that was idle.
    t_start BIGINT NOT NULL, -- Start, ns after clock correction.
    t_end BIGINT NOT NULL, -- End, ns after clock correction.
    kind ENUM('lead', 'inner', 'tail') NOT NULL, -- lead (before the first task), inner or tail (after the last).
    task VARCHAR, -- Task that ended it; NULL for a tail.
    t_submit BIGINT, -- When that task was submitted, ns after clock correction.
    last_data VARCHAR, -- Input of the task that was made last; NULL where no input is known.
    t_arrival BIGINT, -- When the last of the inputs from other nodes arrived, ns after clock correction.
    blamed_task VARCHAR, -- Producer of last_data, where the worker starved for it.
    blamed_worker VARCHAR, -- Worker of that producer.
    starvation1 BIGINT NOT NULL, -- Wait for the last input to be made, ns.
    ov_concrete BIGINT NOT NULL, -- Of it: exact runtime work of the producer's worker, ns.
    ov_uniform BIGINT NOT NULL, -- Of it: expected share of runtime work known only as a total, ns.
    ov_rest BIGINT NOT NULL, -- What neither starvation nor latency explains, ns.
    ov_unsubmitted BIGINT NOT NULL, -- Of that: before the task was submitted, ns.
    starvation BIGINT NOT NULL, -- No task was ready, ns.
    latency BIGINT NOT NULL, -- Data were on the wire, ns.
    overhead BIGINT NOT NULL, -- The runtime was in the way, ns.
    inherited_union STRUCT( -- Parts of starvation1 that differ in the modes propagated and transitive, union latency, ns; NULL where nothing is inherited.
        ov_concrete BIGINT, lat_inherited BIGINT, ov_uniform_propagated BIGINT,
        ov_uniform_transitive BIGINT
    ),
    inherited_last_arrival STRUCT( -- The same with last_arrival latency, ns.
        ov_concrete BIGINT, lat_inherited BIGINT, ov_uniform_propagated BIGINT,
        ov_uniform_transitive BIGINT
    ),
    flags VARCHAR[], -- Of causality, late_arrival, missing_transfer, neg_transfer; NULL where none applies.
    is_recorded BOOLEAN, -- Whether the trace tells the cause of ov_rest: it has the inputs of the task and how they came, or work of the runtime on this worker; NULL for a tail.
    unrecorded_union BIGINT, -- Of the overhead inherited in the modes propagated and transitive, union latency: passed on from intervals that are not recorded, ns; NULL where none is.
    unrecorded_last_arrival BIGINT -- The same with last_arrival latency, ns.
);

CREATE TABLE idle_latency ( -- One row is one stretch of an idle interval, after its starvation, in which inputs were on the wire (union latency).
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File whose ingestion computed the row (sources.source_id).
    worker VARCHAR NOT NULL, -- Worker that was idle.
    t_start BIGINT NOT NULL, -- Start, ns after clock correction.
    t_end BIGINT NOT NULL -- End, ns after clock correction.
);

CREATE TABLE idle_segments ( -- One row is one piece of an idle interval on the time axis. Stored for runs of up to 10 000 idle intervals; idle_timeline(run, t0, t1) returns the pieces of any run.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File whose ingestion computed the row (sources.source_id).
    mode VARCHAR NOT NULL, -- direct, propagated or transitive.
    latency_rule VARCHAR NOT NULL, -- union or last_arrival.
    worker VARCHAR NOT NULL, -- Worker that was idle.
    t_start BIGINT NOT NULL, -- Start, ns after clock correction.
    t_end BIGINT NOT NULL, -- End, ns after clock correction.
    class VARCHAR NOT NULL -- S starvation (the uniform share of overhead is within it), C the producer's runtime and inherited overhead, X inherited latency, L latency, R rest.
);

CREATE TABLE worker_slowdown ( -- One row is one worker that ran tasks of types that other workers ran, too: how many times as long they take there. Zero durations and tasks of unknown type are left out.
    run_id VARCHAR, -- Run (runs.run_id).
    worker VARCHAR, -- Worker.
    tasks BIGINT, -- Its tasks of such types.
    factor DOUBLE, -- Their durations divided by those of the same types on the other workers: ratio of geometric means.
    low DOUBLE, -- Lower end of an interval that contains the factors of all workers of the run with 95 % confidence; NULL below three tasks.
    high DOUBLE, -- Upper end of that interval.
    is_slow BOOLEAN -- Whether low is above 1.1.
);

CREATE TABLE _worker_sums ( -- One row is one worker of a run in one reading: slo_by_worker without what follows from other columns.
    run_id VARCHAR, -- Run (runs.run_id).
    mode VARCHAR, -- Reading (idle_attribution.mode).
    latency_rule VARCHAR, -- Reading (idle_attribution.latency_rule).
    worker VARCHAR, -- Worker.
    node VARCHAR, -- Its node.
    intervals BIGINT, -- Idle intervals, tails left out.
    wall BIGINT, -- Its window, ns.
    busy BIGINT, -- Time in which it ran tasks, ns.
    starvation BIGINT, -- Idle time without a task that is ready, tails left out, ns.
    latency BIGINT, -- Idle time in which data were on the wire, ns.
    overhead BIGINT, -- Other idle time, ns.
    unsubmitted BIGINT, -- Of it: before the task was submitted, ns.
    not_recorded BIGINT, -- Of it: of which the trace does not tell the cause, ns.
    unfollowed BIGINT, -- Of that: of waits whose inputs are recorded, ns.
    tail BIGINT, -- Idle time after its last task, ns.
    kind VARCHAR, -- What it is: cpu, process, runtime, host, stream or copy.
    is_judged BOOLEAN -- Whether it is there to work.
);

CREATE TABLE gpu_gaps ( -- One row is a time in which a device (stream is NULL) or one of its several streams was idle between two works, and why, by the call that launched the second: the ten parts add up to it, to the nanosecond.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    device VARCHAR NOT NULL, -- Device.
    stream VARCHAR, -- Stream (workers.worker); NULL where no stream of the device was busy.
    t_start BIGINT NOT NULL, -- End of the work before, ns.
    t_end BIGINT NOT NULL, -- Start of the work that ended it, ns.
    task VARCHAR NOT NULL, -- That work (tasks.task).
    step BIGINT, -- Step in which it was launched; NULL where steps are not marked.
    sync_ns BIGINT NOT NULL, -- Before the call began, its thread waited in a call for the device or for other processes, ns.
    copy_ns BIGINT NOT NULL, -- Before the call began, its thread was in a call that copies, ns.
    memory_ns BIGINT NOT NULL, -- Before the call began, its thread was in a call that allocates or frees memory, ns.
    launch_ns BIGINT NOT NULL, -- Before the call began, its thread was in another call of the device's interface, ns.
    operators_ns BIGINT NOT NULL, -- Before the call began, its thread was in operators of a framework, or functions of the host, ns.
    python_ns BIGINT NOT NULL, -- Before the call began, its thread was in recorded functions of Python, ns.
    unrecorded_ns BIGINT NOT NULL, -- Before the call began, nothing was recorded of its thread, ns; marks and ranges, which only cover others, do not count.
    call_ns BIGINT NOT NULL, -- While the call ran, ns.
    device_ns BIGINT NOT NULL, -- After it had returned: the device waited for another stream, or for itself, ns.
    unknown_ns BIGINT NOT NULL, -- No call is known, ns.
    interpreter_ns BIGINT NOT NULL, -- Of unrecorded_ns: stretches of less than 200 us between two things recorded, in which the interpreter works.
    is_other_stream BOOLEAN, -- Whether the work before was another stream's.
    late VARCHAR -- What the thread did for most of the time before the call, by name; NULL where that was not recorded.
);

CREATE TABLE gpu_late ( -- One row is an operator, Python function or call of the host for which a device idled, summed over its gaps: it is what the thread did that launched the next work, before it called.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    device VARCHAR NOT NULL, -- Device.
    step BIGINT, -- Step in which the work that ended the gaps was launched; NULL where steps are not marked.
    doing VARCHAR NOT NULL, -- What the thread did: sync, copy, memory, launch, operators, python or unrecorded (gpu_gaps).
    name VARCHAR, -- Its name; NULL where nothing was recorded.
    gaps BIGINT NOT NULL, -- Gaps with some of it.
    idle_ns BIGINT NOT NULL -- Idle time of the device in which it ran, ns.
);

CREATE TABLE _gpu_sums ( -- One row is a device, one of its several streams, or a device in a step, and what it did, as stored. Read gpu_activity, gpu_streams and gpu_steps.
    run_id VARCHAR, -- Run (runs.run_id).
    device VARCHAR, -- Device.
    stream VARCHAR, -- Stream; NULL for all of the device.
    step BIGINT, -- Step; NULL for all of them, and for what is in none of them.
    is_step BOOLEAN, -- Whether the row is of a step.
    t_begin BIGINT, -- First start of work, ns.
    t_end BIGINT, -- Last end, ns.
    activities BIGINT, -- Kernels, copies and fills.
    busy BIGINT, -- Time in which any of them ran, ns.
    computing BIGINT, -- Time in which kernels ran, ns.
    copying BIGINT, -- Time in which copies or fills ran, ns.
    communicating BIGINT, -- Time in which communication between devices ran, ns.
    copied_bytes BIGINT, -- Bytes of copies of which they are known.
    copied_ns BIGINT, -- Durations of those, ns.
    pageable_ns BIGINT, -- Durations of copies from or to pageable memory, ns.
    pinned_ns BIGINT, -- Durations of copies from or to pinned memory, ns.
    operations STRUCT(ns BIGINT, operation VARCHAR)[], -- Kinds of operations and the sums of their durations, the longest first.
    idle BIGINT, -- Idle time, ns.
    parts STRUCT( -- Idle time by part, ns.
        sync BIGINT, "copy" BIGINT, memory BIGINT, launch BIGINT, operators BIGINT, python BIGINT,
        unrecorded BIGINT, "call" BIGINT, device BIGINT, unknown BIGINT
    ),
    interpreter BIGINT, -- Of the idle time unrecorded: in which the interpreter worked, ns.
    dependency BIGINT, -- Of the idle time device: waits for other streams, ns.
    call_ns BIGINT, -- How long such a call takes on average, ns.
    operators STRUCT(ns BIGINT, operation VARCHAR, "operator" VARCHAR, calls BIGINT)[], -- As operations, by operator of the framework (NULL: none is known), with the number of works.
    calculating BIGINT -- Time in which kernels ran that do not communicate, ns.
);
