-- Landing tables of basic blocks and threads.

CREATE TABLE bb_launches (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    launch INTEGER NOT NULL,
    kernel VARCHAR,
    grid INTEGER[],
    block_dim INTEGER[],
    block_size INTEGER,
    warp_size INTEGER,
    granularity VARCHAR NOT NULL,
    instructions BIGINT,
    warp_instructions BIGINT
);
COMMENT ON TABLE bb_launches IS 'One row is one kernel launch; a CPU program is launch 0.';
COMMENT ON COLUMN bb_launches.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bb_launches.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN bb_launches.launch IS 'Number of the launch within the run, from 0.';
COMMENT ON COLUMN bb_launches.kernel IS 'Kernel; NULL for a CPU program.';
COMMENT ON COLUMN bb_launches.grid IS 'Thread blocks in x, y, z.';
COMMENT ON COLUMN bb_launches.block_dim IS 'Threads of a thread block in x, y, z.';
COMMENT ON COLUMN bb_launches.block_size IS 'Threads of a thread block.';
COMMENT ON COLUMN bb_launches.warp_size IS 'Threads of a warp.';
COMMENT ON COLUMN bb_launches.granularity IS 'What one row of bb_visits stands for: thread or warp.';
COMMENT ON COLUMN bb_launches.instructions IS 'Executed thread instructions.';
COMMENT ON COLUMN bb_launches.warp_instructions IS 'Executed warp instructions, where the trace tells.';

CREATE TABLE bb_visits (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    launch INTEGER NOT NULL,
    kernel VARCHAR,
    block BIGINT,
    warp INTEGER,
    thread BIGINT,
    interval INTEGER,
    bb INTEGER NOT NULL,
    visits BIGINT,
    instructions BIGINT
);
COMMENT ON TABLE bb_visits IS 'One row is the visits of one basic block by one thread.';
COMMENT ON COLUMN bb_visits.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bb_visits.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN bb_visits.launch IS 'Launch (bb_launches.launch).';
COMMENT ON COLUMN bb_visits.kernel IS 'Kernel.';
COMMENT ON COLUMN bb_visits.block IS 'Thread block, linear in the grid; NULL for CPU threads.';
COMMENT ON COLUMN bb_visits.warp IS 'Warp within its thread block.';
COMMENT ON COLUMN bb_visits.thread IS 'Thread, linear in its thread block; for CPU programs its number; NULL where only warps are known.';
COMMENT ON COLUMN bb_visits.interval IS 'Interval of the thread''s time, from 0; NULL where the trace is not cut into intervals.';
COMMENT ON COLUMN bb_visits.bb IS 'Basic block (bb_blocks.bb).';
COMMENT ON COLUMN bb_visits.visits IS 'Times its first instruction was executed; NULL where only instructions are known.';
COMMENT ON COLUMN bb_visits.instructions IS 'Instructions executed in it.';

CREATE TABLE bb_edges (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    launch INTEGER NOT NULL,
    kernel VARCHAR,
    block BIGINT,
    thread BIGINT,
    src INTEGER NOT NULL,
    dst INTEGER NOT NULL,
    count BIGINT NOT NULL
);
COMMENT ON TABLE bb_edges IS 'One row is how often one basic block followed another in one thread.';
COMMENT ON COLUMN bb_edges.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bb_edges.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN bb_edges.launch IS 'Launch (bb_launches.launch).';
COMMENT ON COLUMN bb_edges.kernel IS 'Kernel.';
COMMENT ON COLUMN bb_edges.block IS 'Thread block, linear in the grid; NULL where edges are summed over threads.';
COMMENT ON COLUMN bb_edges.thread IS 'Thread; NULL where edges are summed over threads.';
COMMENT ON COLUMN bb_edges.src IS 'Basic block that was left.';
COMMENT ON COLUMN bb_edges.dst IS 'Basic block that was visited next.';
COMMENT ON COLUMN bb_edges.count IS 'Times.';

CREATE TABLE bb_blocks (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    kernel VARCHAR,
    bb INTEGER NOT NULL,
    size INTEGER,
    barriers INTEGER,
    pc_first BIGINT,
    pc_last BIGINT,
    function VARCHAR,
    source_file VARCHAR,
    source_line INTEGER
);
COMMENT ON TABLE bb_blocks IS 'One row is one basic block.';
COMMENT ON COLUMN bb_blocks.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bb_blocks.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN bb_blocks.kernel IS 'Kernel it belongs to; NULL for a CPU program.';
COMMENT ON COLUMN bb_blocks.bb IS 'Number of the block within its kernel.';
COMMENT ON COLUMN bb_blocks.size IS 'Instructions.';
COMMENT ON COLUMN bb_blocks.barriers IS 'Barrier instructions among them.';
COMMENT ON COLUMN bb_blocks.pc_first IS 'Address of the first instruction.';
COMMENT ON COLUMN bb_blocks.pc_last IS 'Address of the last instruction.';
COMMENT ON COLUMN bb_blocks.function IS 'Function it belongs to.';
COMMENT ON COLUMN bb_blocks.source_file IS 'Source or assembly file.';
COMMENT ON COLUMN bb_blocks.source_line IS 'Line of the first instruction in it.';

CREATE TABLE bb_opcodes (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    launch INTEGER NOT NULL,
    kernel VARCHAR,
    bb INTEGER,
    opcode VARCHAR NOT NULL,
    count BIGINT NOT NULL
);
COMMENT ON TABLE bb_opcodes IS 'One row is how often one opcode was executed in one basic block.';
COMMENT ON COLUMN bb_opcodes.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bb_opcodes.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN bb_opcodes.launch IS 'Launch.';
COMMENT ON COLUMN bb_opcodes.kernel IS 'Kernel.';
COMMENT ON COLUMN bb_opcodes.bb IS 'Basic block; NULL where blocks are not known.';
COMMENT ON COLUMN bb_opcodes.opcode IS 'Opcode as the trace writes it.';
COMMENT ON COLUMN bb_opcodes.count IS 'Executed thread instructions.';

CREATE TABLE bb_dependences (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    launch INTEGER NOT NULL,
    kernel VARCHAR,
    bb INTEGER NOT NULL,
    distance INTEGER,
    count BIGINT NOT NULL
);
COMMENT ON TABLE bb_dependences IS 'One row is how often one dependence distance occurred in one basic block.';
COMMENT ON COLUMN bb_dependences.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bb_dependences.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN bb_dependences.launch IS 'Launch.';
COMMENT ON COLUMN bb_dependences.kernel IS 'Kernel.';
COMMENT ON COLUMN bb_dependences.bb IS 'Basic block.';
COMMENT ON COLUMN bb_dependences.distance IS 'Instructions of the same thread since the latest writer of any source register; NULL: no source was written before.';
COMMENT ON COLUMN bb_dependences.count IS 'Executed thread instructions with that distance.';
