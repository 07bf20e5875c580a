-- Traces of basic blocks by thread, and how alike threads are.

CREATE TABLE bb_launches ( -- One row is one kernel launch; a CPU program is launch 0.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    launch INTEGER NOT NULL, -- Number of the launch within the run, from 0.
    kernel VARCHAR, -- Kernel; NULL for a CPU program.
    grid INTEGER[], -- Thread blocks in x, y, z.
    block_dim INTEGER[], -- Threads of a thread block in x, y, z.
    block_size INTEGER, -- Threads of a thread block.
    warp_size INTEGER, -- Threads of a warp.
    granularity VARCHAR, -- What one row of bb_visits stands for: thread or warp; NULL for thread.
    instructions BIGINT, -- Executed thread instructions.
    warp_instructions BIGINT -- Executed warp instructions, where the trace records them.
);

CREATE TABLE bb_visits ( -- One row is the visits of one basic block by one thread.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    launch INTEGER NOT NULL, -- Launch (bb_launches.launch).
    kernel VARCHAR, -- Kernel.
    block BIGINT, -- Thread block, linear in the grid; NULL for CPU threads.
    warp INTEGER, -- Warp within its thread block.
    thread BIGINT, -- Thread, linear in its thread block; for CPU programs its number; NULL where only warps are known.
    interval INTEGER, -- Interval of the thread's time, from 0; NULL where the trace is not cut into intervals.
    bb INTEGER NOT NULL, -- Basic block (bb_blocks.bb).
    visits BIGINT, -- Times its first instruction was executed; NULL where only instructions are known.
    instructions BIGINT -- Instructions executed in it.
);

CREATE TABLE bb_edges ( -- One row is how often one basic block followed another in one thread.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    launch INTEGER NOT NULL, -- Launch (bb_launches.launch).
    kernel VARCHAR, -- Kernel.
    block BIGINT, -- Thread block, linear in the grid; NULL where edges are summed over threads.
    thread BIGINT, -- Thread; NULL where edges are summed over threads.
    src INTEGER NOT NULL, -- Basic block that was left.
    dst INTEGER NOT NULL, -- Basic block that was visited next.
    count BIGINT NOT NULL -- Times.
);

CREATE TABLE bb_blocks ( -- One row is one basic block.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    kernel VARCHAR, -- Kernel it belongs to; NULL for a CPU program.
    bb INTEGER NOT NULL, -- Number of the block within its kernel.
    size INTEGER, -- Instructions.
    barriers INTEGER, -- Barrier instructions among them.
    pc_first BIGINT, -- Address of the first instruction.
    pc_last BIGINT, -- Address of the last instruction.
    function VARCHAR, -- Function it belongs to.
    source_file VARCHAR, -- Source or assembly file.
    source_line INTEGER -- Line of the first instruction in it.
);

CREATE TABLE bb_opcodes ( -- One row is how often one opcode was executed in one basic block.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    launch INTEGER NOT NULL, -- Launch.
    kernel VARCHAR, -- Kernel.
    bb INTEGER, -- Basic block; NULL where blocks are not known.
    opcode VARCHAR NOT NULL, -- Opcode as the trace writes it.
    count BIGINT NOT NULL -- Executed thread instructions.
);

CREATE TABLE bb_dependences ( -- One row is how often one dependence distance occurred in one basic block.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    launch INTEGER NOT NULL, -- Launch.
    kernel VARCHAR, -- Kernel.
    bb INTEGER NOT NULL, -- Basic block.
    distance INTEGER, -- Instructions of the same thread since the latest writer of any source register; NULL: no source was written before.
    count BIGINT NOT NULL -- Executed thread instructions with that distance.
);

CREATE TABLE behaviour_references ( -- One row is one behaviour that a program is known to show, or not to show, with its rates. Verdicts follow from these rows at once: see behaviour_thresholds.
    program VARCHAR NOT NULL, -- Program, or one launch of it.
    behaviour VARCHAR NOT NULL CHECK (behaviour IN ('divergent', 'not divergent', 'synchronising', 'not synchronising', 'data-bound', 'compute-bound')), -- divergent, not divergent, synchronising, not synchronising, data-bound or compute-bound.
    said_by VARCHAR NOT NULL, -- Author of the label, and what it is based on.
    fluctuation DOUBLE, -- Fluctuation rate, 0..1 (thread_behaviour.fluctuation).
    simt_efficiency DOUBLE, -- SIMT efficiency, 0..1.
    sync_rate DOUBLE, -- Executed barriers over visits of basic blocks.
    memory_share DOUBLE, -- Share of instructions that access memory off the core, 0..1.
    PRIMARY KEY (program, behaviour, said_by)
);

INSERT INTO behaviour_references (program, behaviour, said_by, fluctuation, simt_efficiency, sync_rate, memory_share) VALUES
    ('vecadd', 'not divergent', 'its code: only the threads past its end leave early', 0.001969, 0.988281, 0.0, 0.134747),
    ('vecadd', 'not synchronising', 'its code: it has no barrier', 0.001969, 0.988281, 0.0, 0.134747),
    ('vecadd', 'data-bound', 'its code: one addition for three accesses to memory', 0.001969, 0.988281, 0.0, 0.134747),
    ('reduce', 'not divergent', 'its code: in a tree sum whole warps drop out, and only the last one splits', 0.055118, 0.90956, 0.4, 0.013807),
    ('reduce', 'synchronising', 'its code: a barrier at each step', 0.055118, 0.90956, 0.4, 0.013807),
    ('diverge4', 'divergent', 'its code: thread number modulo 4 picks one of four loops', 1.0, 0.286413, 0.0, 0.01518),
    ('diverge4', 'not synchronising', 'its code: it has no barrier', 1.0, 0.286413, 0.0, 0.01518),
    ('diverge4', 'compute-bound', 'its code: its loops stay in registers', 1.0, 0.286413, 0.0, 0.01518),
    ('bitonic', 'divergent', 'its code: threads compare and swap by their number and data', 0.78288, 0.751191, 0.287429, 0.004776),
    ('bitonic', 'synchronising', 'its code: a barrier at each step', 0.78288, 0.751191, 0.287429, 0.004776),
    ('matmul', 'not divergent', 'its code: all threads do the same', 0.0, 1.0, 0.181818, 0.023891),
    ('matmul', 'synchronising', 'its code: two barriers for each tile', 0.0, 1.0, 0.181818, 0.023891),
    ('mandel', 'divergent', 'its code: each point needs its own number of rounds', 0.218269, 0.530182, 0.0, 0.004281),
    ('mandel', 'not synchronising', 'its code: it has no barrier', 0.218269, 0.530182, 0.0, 0.004281),
    ('mandel', 'compute-bound', 'its code: one access to memory at its end', 0.218269, 0.530182, 0.0, 0.004281),
    ('bfs, launch 5', 'divergent', 'its code: a node of the front has its own number of edges, others have none', 0.378224, 0.210416, 0.0, 0.126927),
    ('bfs, launch 5', 'not synchronising', 'its code: it has no barrier', 0.378224, 0.210416, 0.0, 0.126927),
    ('bfs, launch 5', 'data-bound', 'its code: it follows edges from memory', 0.378224, 0.210416, 0.0, 0.126927),
    ('bfs, launch 0', 'not divergent', 'its code: one thread has work, all others leave', 0.003968, 0.920701, 0.0, 0.049735),
    ('bfs, launch 0', 'not synchronising', 'its code: it has no barrier', 0.003968, 0.920701, 0.0, 0.049735);

CREATE TABLE _thread_phases ( -- One row is one interval of a thread's time and its phase, as stored. Read phases and phase_representatives.
    run_id VARCHAR, -- Run (runs.run_id).
    launch INTEGER, -- Launch within the run; a CPU program is launch 0.
    block BIGINT, -- Thread block; NULL for CPU threads.
    thread BIGINT, -- Thread.
    p STRUCT( -- interval, its phase and distance (phases), weight of the phase, and whether the interval is its representative (phase_representatives).
        "interval" INTEGER, phase INTEGER, distance DOUBLE, weight DOUBLE, representative BOOLEAN
    )
);

CREATE TABLE _vector_groups ( -- One row is a vector of basic blocks that threads of a launch have, and its group, as stored. Read thread_groups and thread_group_members.
    run_id VARCHAR, -- Run (runs.run_id).
    launch INTEGER, -- Launch within the run; a CPU program is launch 0.
    mark HUGEINT, -- Mark by which equal vectors are found; NULL for those rarer than the 2048 commonest.
    threads BIGINT, -- Threads with it.
    sample STRUCT(block BIGINT, thread BIGINT), -- One of them: block and thread.
    behaviour_group INTEGER, -- Group (thread_groups.behaviour_group).
    distance DOUBLE, -- Distance from the representative of the group (thread_group_members.distance).
    representative BOOLEAN -- Whether it is the vector of the representative.
);

CREATE TABLE thread_behaviour ( -- One row is one launch with the verdict on its threads: prominent branch divergence, synchronisation, both, neither; NULL where unknown, with the reason in note.
    run_id VARCHAR, -- Run (runs.run_id).
    launch INTEGER, -- Launch within the run, from 0; a CPU program is launch 0.
    kernel VARCHAR, -- Kernel; NULL for a CPU program.
    granularity VARCHAR, -- What the trace distinguishes: threads or only warps (thread or warp).
    threads BIGINT, -- Traced threads that executed anything; NULL where threads are not known.
    traced_share DOUBLE, -- threads over all threads of the launch, 0..1: below 1 the figures are of some threads; NULL where grid or block size is not known.
    blocks BIGINT, -- Thread blocks; NULL where threads are in none, as those of a CPU program.
    basic_blocks BIGINT, -- Basic blocks that any thread visited.
    visits BIGINT, -- Visits of basic blocks, over all threads; NULL where only instructions are known.
    instructions BIGINT, -- Executed thread instructions: of the launch where the trace states them, else of its traced threads.
    traced_instructions BIGINT, -- Those that its visits of basic blocks add up to.
    barriers BIGINT, -- Executed barrier instructions, over all threads; NULL where barriers of a visited block are not known.
    sync_rate DOUBLE, -- Synchronisation rate: barriers over visits. May pass 1.
    fluctuation DOUBLE, -- Fluctuation rate, 0..1: share of horizontally neighbouring pixels of the picture (Euclidean distances over the largest, or over a tenth of the longest vector where that is more) that differ by more than 0.05; mean over thread blocks.
    simt_efficiency DOUBLE, -- Thread instructions over warp size x warp instructions, 0..1, of the warps that are traced with all their lanes; NULL where there are none, with the reason in simt_note.
    simt_is_bound BOOLEAN, -- The trace has no warp instructions: simt_efficiency comes from the vectors and is an upper bound.
    idle_lane_share DOUBLE, -- Share of the instruction slots of lanes that have a thread in which these idle, 0..1: 1 - simt_efficiency where warps are full; at least that where simt_is_bound.
    idle_warp_share DOUBLE, -- The same for the warps of a thread block, were they lanes of one warp: 0 where all take the same way, 0..1. No warp really waits so.
    warps BIGINT, -- Warps that are traced with all their lanes.
    divergent_warps BIGINT, -- Those of them whose lanes part (warp_divergence.divergent).
    worst_warps STRUCT(block BIGINT, warp INTEGER)[], -- The three of them that lose most: block and warp.
    distinct_vectors BIGINT, -- Different basic-block vectors among all threads.
    mean_distance DOUBLE, -- Mean Euclidean distance between two threads of a thread block, in visits (shares of instructions where visits is NULL); mean over thread blocks.
    brightness DOUBLE, -- Mean brightness of a pair of threads in the picture, 0..1; mean over thread blocks.
    sync_consistency DOUBLE, -- Share of pairs of threads of a thread block that executed the same barriers equally often; mean over thread blocks.
    divergent BOOLEAN, -- Branch divergence is prominent: the lanes of warps part, so that idle_lane_share is over its threshold. Where warps are not known: false if no more would idle were each thread block one warp, else true if fluctuation is over its own, else NULL.
    kind VARCHAR, -- lanes: lanes of a warp part; warps: whole warps of a thread block part and no lane waits, which is not divergent; both; neither; NULL where one is not known.
    synchronising BOOLEAN, -- Synchronisation is prominent: sync_rate is over its threshold, and at least one instruction in a hundred is a barrier, where the instructions are known.
    fluctuation_threshold DOUBLE, -- Threshold of fluctuation (behaviour_thresholds).
    sync_threshold DOUBLE, -- Threshold of sync_rate.
    simt_threshold DOUBLE, -- SIMT efficiency of full warps below which they are divergent: 1 - the threshold of idle_lanes.
    contradiction STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR)), -- How the fluctuation rate differs from the verdict, which follows the lanes of warps; NULL where they agree. A flag.
    simt_note STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR)), -- Why there is no SIMT efficiency or verdict from it, or of which warps it is. A flag.
    note STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR)), -- Why a figure or verdict is missing, or what it is based on; NULL where there is nothing to note. A flag.
    sync_share DOUBLE -- Barriers over executed thread instructions that are traced, 0..1.
);
