-- What functions compute of tasks and threads is stored.

CREATE TABLE worker_slowdown (
    run_id VARCHAR,
    worker VARCHAR,
    tasks BIGINT,
    factor DOUBLE,
    low DOUBLE,
    high DOUBLE,
    is_slow BOOLEAN
);
COMMENT ON TABLE worker_slowdown IS 'One row is one worker that ran tasks of types that other workers ran, too: how many times as long they take there. Zero durations and tasks of unknown type are left out.';
COMMENT ON COLUMN worker_slowdown.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN worker_slowdown.worker IS 'Worker.';
COMMENT ON COLUMN worker_slowdown.tasks IS 'Its tasks of such types.';
COMMENT ON COLUMN worker_slowdown.factor IS 'Their durations divided by those of the same types on the other workers: ratio of geometric means.';
COMMENT ON COLUMN worker_slowdown.low IS 'Lower end of an interval that contains the factors of all workers of the run with 95 % confidence; NULL below three tasks.';
COMMENT ON COLUMN worker_slowdown.high IS 'Upper end of that interval.';
COMMENT ON COLUMN worker_slowdown.is_slow IS 'Whether low is above 1.1.';

CREATE TABLE _thread_phases (
    run_id VARCHAR,
    launch INTEGER,
    block BIGINT,
    thread BIGINT,
    p STRUCT("interval" INTEGER, phase INTEGER, distance DOUBLE, weight DOUBLE, representative BOOLEAN)
);
COMMENT ON TABLE _thread_phases IS 'One row is one interval of a thread''s time and its phase, as stored. Read phases and phase_representatives.';
COMMENT ON COLUMN _thread_phases.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN _thread_phases.launch IS 'Launch within the run; a CPU program is launch 0.';
COMMENT ON COLUMN _thread_phases.block IS 'Thread block; NULL for CPU threads.';
COMMENT ON COLUMN _thread_phases.thread IS 'Thread.';
COMMENT ON COLUMN _thread_phases.p IS 'interval, its phase and distance (phases), weight of the phase, and whether the interval is its representative (phase_representatives).';

CREATE TABLE _vector_groups (
    run_id VARCHAR,
    launch INTEGER,
    mark HUGEINT,
    threads BIGINT,
    sample STRUCT(block BIGINT, thread BIGINT),
    behaviour_group INTEGER,
    distance DOUBLE,
    representative BOOLEAN
);
COMMENT ON TABLE _vector_groups IS 'One row is a vector of basic blocks that threads of a launch have, and its group, as stored. Read thread_groups and thread_group_members.';
COMMENT ON COLUMN _vector_groups.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN _vector_groups.launch IS 'Launch within the run; a CPU program is launch 0.';
COMMENT ON COLUMN _vector_groups.mark IS 'Mark by which equal vectors are found; NULL for those rarer than the 2048 commonest.';
COMMENT ON COLUMN _vector_groups.threads IS 'Threads with it.';
COMMENT ON COLUMN _vector_groups.sample IS 'One of them: block and thread.';
COMMENT ON COLUMN _vector_groups.behaviour_group IS 'Group (thread_groups.behaviour_group).';
COMMENT ON COLUMN _vector_groups.distance IS 'Distance from the representative of the group (thread_group_members.distance).';
COMMENT ON COLUMN _vector_groups.representative IS 'Whether it is the vector of the representative.';

CREATE TABLE thread_behaviour (
    run_id VARCHAR,
    launch INTEGER,
    kernel VARCHAR,
    granularity VARCHAR,
    threads BIGINT,
    traced_share DOUBLE,
    blocks BIGINT,
    basic_blocks BIGINT,
    visits BIGINT,
    instructions BIGINT,
    traced_instructions BIGINT,
    barriers BIGINT,
    sync_rate DOUBLE,
    fluctuation DOUBLE,
    simt_efficiency DOUBLE,
    simt_is_bound BOOLEAN,
    idle_lane_share DOUBLE,
    idle_warp_share DOUBLE,
    warps BIGINT,
    divergent_warps BIGINT,
    worst_warps STRUCT(block BIGINT, warp INTEGER)[],
    distinct_vectors BIGINT,
    mean_distance DOUBLE,
    brightness DOUBLE,
    sync_consistency DOUBLE,
    divergent BOOLEAN,
    kind VARCHAR,
    synchronising BOOLEAN,
    fluctuation_threshold DOUBLE,
    sync_threshold DOUBLE,
    simt_threshold DOUBLE,
    contradiction VARCHAR,
    simt_note VARCHAR,
    note VARCHAR
);
COMMENT ON TABLE thread_behaviour IS 'One row is one launch with the verdict on its threads: prominent branch divergence, synchronisation, both, neither; NULL where unknown, with the reason in note.';
COMMENT ON COLUMN thread_behaviour.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN thread_behaviour.launch IS 'Launch within the run, from 0; a CPU program is launch 0.';
COMMENT ON COLUMN thread_behaviour.kernel IS 'Kernel; NULL for a CPU program.';
COMMENT ON COLUMN thread_behaviour.granularity IS 'What the trace distinguishes: threads or only warps (thread or warp).';
COMMENT ON COLUMN thread_behaviour.threads IS 'Traced threads that executed anything; NULL where threads are not known.';
COMMENT ON COLUMN thread_behaviour.traced_share IS 'threads over all threads of the launch, 0..1: below 1 the figures are of some threads; NULL where grid or block size is not known.';
COMMENT ON COLUMN thread_behaviour.blocks IS 'Thread blocks; NULL where threads are in none, as those of a CPU program.';
COMMENT ON COLUMN thread_behaviour.basic_blocks IS 'Basic blocks that any thread visited.';
COMMENT ON COLUMN thread_behaviour.visits IS 'Visits of basic blocks, over all threads; NULL where only instructions are known.';
COMMENT ON COLUMN thread_behaviour.instructions IS 'Executed thread instructions: of the launch where the trace states them, else of its traced threads.';
COMMENT ON COLUMN thread_behaviour.traced_instructions IS 'Those that its visits of basic blocks add up to.';
COMMENT ON COLUMN thread_behaviour.barriers IS 'Executed barrier instructions, over all threads; NULL where barriers of a visited block are not known.';
COMMENT ON COLUMN thread_behaviour.sync_rate IS 'Synchronisation rate: barriers over visits. May pass 1.';
COMMENT ON COLUMN thread_behaviour.fluctuation IS 'Fluctuation rate, 0..1: share of horizontally neighbouring pixels of the picture (Euclidean distances over the largest, or over a tenth of the longest vector where that is more) that differ by more than 0.05; mean over thread blocks.';
COMMENT ON COLUMN thread_behaviour.simt_efficiency IS 'Thread instructions over warp size x warp instructions, 0..1, of the warps that are traced with all their lanes; NULL where there are none, with the reason in simt_note.';
COMMENT ON COLUMN thread_behaviour.simt_is_bound IS 'The trace has no warp instructions: simt_efficiency comes from the vectors and is an upper bound.';
COMMENT ON COLUMN thread_behaviour.idle_lane_share IS 'Share of the instruction slots of lanes that have a thread in which these idle, 0..1: 1 - simt_efficiency where warps are full; at least that where simt_is_bound.';
COMMENT ON COLUMN thread_behaviour.idle_warp_share IS 'The same for the warps of a thread block, were they lanes of one warp: 0 where all take the same way, 0..1. No warp really waits so.';
COMMENT ON COLUMN thread_behaviour.warps IS 'Warps that are traced with all their lanes.';
COMMENT ON COLUMN thread_behaviour.divergent_warps IS 'Those of them whose lanes part (warp_divergence.divergent).';
COMMENT ON COLUMN thread_behaviour.worst_warps IS 'The three of them that lose most: block and warp.';
COMMENT ON COLUMN thread_behaviour.distinct_vectors IS 'Different basic-block vectors among all threads.';
COMMENT ON COLUMN thread_behaviour.mean_distance IS 'Mean Euclidean distance between two threads of a thread block, in visits (shares of instructions where visits is NULL); mean over thread blocks.';
COMMENT ON COLUMN thread_behaviour.brightness IS 'Mean brightness of a pair of threads in the picture, 0..1; mean over thread blocks.';
COMMENT ON COLUMN thread_behaviour.sync_consistency IS 'Share of pairs of threads of a thread block that executed the same barriers equally often; mean over thread blocks.';
COMMENT ON COLUMN thread_behaviour.divergent IS 'Branch divergence is prominent: the lanes of warps part, so that idle_lane_share is over its threshold. Where warps are not known: false if no more would idle were each thread block one warp, else true if fluctuation is over its own, else NULL.';
COMMENT ON COLUMN thread_behaviour.kind IS 'lanes: lanes of a warp part; warps: whole warps of a thread block part and no lane waits, which is not divergent; both; neither; NULL where one is not known.';
COMMENT ON COLUMN thread_behaviour.synchronising IS 'Synchronisation is prominent: sync_rate is over its threshold.';
COMMENT ON COLUMN thread_behaviour.fluctuation_threshold IS 'Threshold of fluctuation (behaviour_thresholds).';
COMMENT ON COLUMN thread_behaviour.sync_threshold IS 'Threshold of sync_rate.';
COMMENT ON COLUMN thread_behaviour.simt_threshold IS 'SIMT efficiency of full warps below which they are divergent: 1 - the threshold of idle_lanes.';
COMMENT ON COLUMN thread_behaviour.contradiction IS 'How the fluctuation rate differs from the verdict, which follows the lanes of warps; NULL where they agree.';
COMMENT ON COLUMN thread_behaviour.simt_note IS 'Why there is no SIMT efficiency or verdict from it, or of which warps it is.';
COMMENT ON COLUMN thread_behaviour.note IS 'Why a figure or verdict is missing, or what it is based on; NULL where there is nothing to note.';
