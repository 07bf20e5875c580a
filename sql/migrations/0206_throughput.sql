-- Segments of instructions, the cores that execute them, and predicted cycles.

CREATE TABLE segments ( -- One row is one stretch of one thread's instruction stream.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    thread BIGINT, -- Thread.
    segment BIGINT NOT NULL, -- Number of the segment, from 0 in file order.
    cycles DOUBLE, -- Measured cycles of one pass; NULL where not measured.
    instructions BIGINT, -- Instructions.
    n_int BIGINT, -- Integer instructions.
    n_fp BIGINT, -- Floating-point instructions.
    n_simd BIGINT, -- SIMD instructions.
    n_load BIGINT, -- Loads.
    n_store BIGINT, -- Stores.
    n_branch BIGINT, -- Branches.
    n_other BIGINT, -- Instructions of no other class.
    critical_path BIGINT[], -- Dependence chains of length 1, 2, 3 ...
    serialising BIGINT, -- Serialising instructions.
    issued BIGINT[], -- Cycles in which 0, 1, 2 ... instructions were issued.
    hex VARCHAR, -- Machine code of the segment, hexadecimal.
    uops BIGINT, -- Micro-operations; the classes count these where they are given, else instructions.
    n_mul BIGINT, -- Integer multiplications, among n_int.
    n_div BIGINT, -- Integer divisions, among n_int.
    n_fp_div BIGINT, -- Floating-point divisions and square roots, among n_fp.
    n_nonspeculative BIGINT, -- Micro-operations that wait until they are the oldest.
    taken BIGINT, -- Branches that were taken.
    mispredicts BIGINT, -- Mispredicted branches, measured; no input of a prediction.
    chain_latency DOUBLE, -- Mean length of the longest dependence chain in groups of 40 micro-operations, weighted by latency, cycles.
    distances BIGINT[], -- Micro-operations whose nearest producer is 1, 2, 3, 4-7, 8-15, 16-31, 32-63, 64 and more before.
    front_end BIGINT[], -- Cycles in which an ideal front end delivers 0, 1, 2 ... micro-operations, from the trace alone.
    flow_unlimited DOUBLE, -- Cycles that the data flow alone takes, no window.
    flow_64 DOUBLE, -- Cycles that the data flow takes in a window of 64 micro-operations.
    flow_128 DOUBLE, -- Cycles that the data flow takes in a window of 128 micro-operations.
    rob INTEGER, -- Entries of the core's reorder buffer.
    isa VARCHAR, -- Instruction set of hex as the file names it (x86-64, aarch64, riscv64 ...); NULL where it does not.
    address UBIGINT, -- Address of its first instruction.
    function VARCHAR, -- Function it belongs to.
    source_file VARCHAR, -- Source file of its first instruction.
    source_line INTEGER, -- Line of its first instruction in the source file.
    executions DOUBLE -- How often the program executes it (passes, or samples in proportion); NULL counts as 1.
);

CREATE TABLE segment_features ( -- One row is one segment of machine code, decoded once, when it lands.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File it came from (sources.source_id).
    thread BIGINT, -- Thread.
    segment BIGINT NOT NULL, -- Segment (segments.segment).
    cycles DOUBLE, -- Measured cycles of one pass; NULL where not measured.
    instructions BIGINT, -- Instructions; NULL where the code cannot be decoded.
    width_cycles DOUBLE, -- Least cycles of one pass by the width of the front end alone.
    critical_path_cycles DOUBLE, -- Least cycles of one pass by its dependence chains alone.
    unit_cycles DOUBLE, -- Least cycles of one pass by its busiest functional unit alone.
    features FLOAT[], -- What models take, in their order of inputs; NULL where the code cannot be decoded.
    flags VARCHAR[], -- What the core does not have or the model does not know: not_on_core, system_instruction, poor_support, other_isa, like_aarch64.
    revision INTEGER, -- Revision of the tables and rules that the row was computed by; pwh migrate computes rows of others anew.
    core VARCHAR, -- Core that the bounds are of (cores.core); NULL for instruction sets that are not decoded.
    aliased_cycles DOUBLE, -- Simulated cycles of one pass where registers point to the same place, if that differs; NULL where it was measured so.
    serial_cycles DOUBLE -- Cycles of one pass with one instruction after another, which it does not exceed; NULL where not known.
);

CREATE TABLE cores ( -- One row is a core whose costs of instructions are known. A core of your own is a row here, and rows of instruction_costs and core_ports; pwh fit throughput --core makes them from measured blocks.
    core VARCHAR NOT NULL, -- Machine (runs.machine, in lower case), or what its name begins with before a dash; core_names has the names of processors.
    isa VARCHAR NOT NULL CHECK (isa IN ('x86-64', 'aarch64', 'riscv64')), -- Instruction set: x86-64, aarch64 or riscv64 (not decoded).
    width DOUBLE NOT NULL CHECK (width > 0), -- Macro-operations a cycle that pass its narrowest stage.
    dispatch DOUBLE CHECK (dispatch > 0), -- Micro-operations a cycle that an AArch64 core dispatches; NULL where that is no limit.
    is_default BOOLEAN NOT NULL DEFAULT false, -- Whether it stands for its instruction set where a run names no machine.
    source VARCHAR, -- Where its figures are from: document and revision.
    shipped BOOLEAN NOT NULL DEFAULT false, -- Whether the row came with pwh.
    relative VARCHAR, -- Core (cores.core) whose rows count where this one has none; NULL where it has all.
    lacks VARCHAR, -- Instruction sets of x86-64 that it does not have: what their names (those of iced-x86) begin with, between blanks; NULL of a core with a relative: that of the relative.
    loops BOOLEAN -- Whether the measured blocks that its model was fitted to have loops (x86-64): blocks that end in a taken branch are then described with it; else, and where NULL, as straight code, the branch left to the bounds.
);

CREATE TABLE core_names ( -- One row is how processors with a core are called, as the machines of runs are. Only names that are surely of the core are rows: the others are of a machine whose core is not known.
    core VARCHAR NOT NULL, -- Core (cores.core).
    pattern VARCHAR NOT NULL, -- What the name of the machine (runs.machine, in lower case) contains, a regular expression.
    processors VARCHAR, -- The processors in words.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether the row came with pwh.
);

CREATE TABLE core_units ( -- One row is a class of micro-operations: how many units of a core execute it, for how long, and when its result is ready. A core of your own is a new set of rows under the name of the machine.
    core VARCHAR NOT NULL, -- Machine (runs.machine), or what its name begins with before a dash; * for machines that have no rows.
    class VARCHAR NOT NULL CHECK (class IN ('int', 'mul', 'div', 'fp', 'fp_div', 'simd', 'memory', 'branch', 'serialising')), -- Class: int, mul and div (of int), fp, fp_div (of fp), simd, memory (loads and stores), branch, serialising.
    units DOUBLE NOT NULL CHECK (units > 0), -- Units that execute it.
    cycles DOUBLE NOT NULL CHECK (cycles > 0), -- Cycles for which one occupies its unit: 1 where the unit is pipelined; of a serialising instruction the least cycles in which nothing else passes (drain and refill).
    latency DOUBLE CHECK (latency >= 0), -- Cycles until its result is ready, of memory those of a load; NULL counts as 1.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether the row came with pwh.
);

CREATE TABLE core_ports ( -- One row says which ports of an x86-64 core execute a kind of operation.
    core VARCHAR NOT NULL, -- Core (cores.core).
    unit VARCHAR NOT NULL, -- Kind of operation: alu, and alu03, alu12, alu1 for those that not all of its ports execute; idiv; load, vload, store, vstore (v: of vector registers); fp, and fp01, fp12, fp23, fp03, fp0, fp1, fp2, fpstore for vectors; fdiv; all: the whole core.
    ports VARCHAR NOT NULL, -- Names of the ports, at most four, between slashes.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether the row came with pwh.
);

CREATE TABLE instruction_costs ( -- One row is a group of instructions that cost a core the same; of AArch64, where a range is published, its least, so that bounds are bounds.
    core VARCHAR NOT NULL, -- Core (cores.core).
    line INTEGER NOT NULL, -- Order: of the rows that name an instruction the first counts.
    instructions VARCHAR, -- Instructions in the words of the source.
    pattern VARCHAR NOT NULL, -- Their forms, a regular expression. Of AArch64: mnemonic and kinds of operands, such as add x.x.x+lsl or fmla 4s.4s.4s (w, x: integer registers; b, h, s, d, q: scalar ones; 8b .. 2d: vectors; []: an element; #: a constant; m: memory, +index with an index, ! with an updated base; +lsl: shifted left by up to 4, +shift, +extend); base update: that of a load or store. Of x86-64: the mnemonic without AVX's V, conditions as CC, fused multiplications as FMA; where it has a row of its own followed by the bits of wide vectors (DIVPS 256) or of divisions (DIV 64), x,r or r,x (moves between kinds of registers), b+i+d (LEA of three parts); and load, vector load, store, vector store, forward (from a store to a load; update, vector, renamed, failed), LOCK, REP, STRING, unknown.
    class VARCHAR NOT NULL CHECK (class IN ('int', 'fp', 'simd', 'branch', 'move', 'atomic', 'other')), -- Class: int, fp, simd, branch, move (to or from memory alone), atomic (also acquire, release, exclusive: bounded loosely), other.
    ports VARCHAR, -- Of AArch64, ports that can execute it, as V0/V1; of several micro-operations, joined by +. Of x86-64, its unit (core_ports.unit). NULL where it only passes the front end.
    cycles DOUBLE NOT NULL CHECK (cycles > 0), -- Cycles for which its first micro-operation occupies its port: 1 where that is pipelined.
    latency DOUBLE CHECK (latency >= 0), -- Cycles until its result is ready; NULL where it has none.
    accumulate DOUBLE CHECK (accumulate >= 0), -- Cycles from its start to that of an instruction of the same row that adds to its result, where this is forwarded earlier.
    shipped BOOLEAN NOT NULL DEFAULT false, -- Whether the row came with pwh.
    operations INTEGER, -- Operations on the unit (x86-64); NULL counts as 1.
    front_end INTEGER, -- Further operations that only pass the front end (x86-64).
    least_share DOUBLE, -- Share of the time on its unit that it was measured to take at least, for bounds (x86-64); NULL counts as 1.
    least_latency DOUBLE -- Least latency, for bounds (x86-64); NULL where it is the latency.
);

CREATE TABLE throughput_settings ( -- One row: values for what a trace does not record. Change it by UPDATE.
    shortest DOUBLE NOT NULL CHECK (shortest >= 0), -- Segments of a trace that take fewer cycles are left out of threads and of training.
    width DOUBLE NOT NULL CHECK (width > 0), -- Instructions a cycle of a core whose width is not known.
    "window" DOUBLE NOT NULL CHECK ("window" > 0) -- Entries of a reorder buffer whose size is not known.
);

INSERT INTO throughput_settings VALUES (1000, 4, 128);

CREATE TABLE throughput_predictions ( -- One row is one segment: the instructions per cycle that its core could sustain on it when nothing misses, by the model in force, older estimates beside it, and what was measured.
    run_id VARCHAR, -- Run (runs.run_id).
    thread BIGINT, -- Thread.
    segment BIGINT, -- Segment, from 0 in file order.
    address UBIGINT, -- Address of its first instruction, where known.
    function VARCHAR, -- Function it belongs to, where known.
    source_file VARCHAR, -- Source file of its first instruction, where known.
    source_line INTEGER, -- Line of its first instruction in the source file, where known.
    executions DOUBLE, -- How often the program executes it; NULL where not known, which counts as once.
    instructions BIGINT, -- Instructions of one pass.
    predicted DOUBLE, -- Predicted instructions per cycle; NULL for the reason in flags.
    low DOUBLE, -- Lower end of its 90 % band; NULL where the model has none.
    high DOUBLE, -- Upper end of its 90 % band; up to 3 % above the bounds for machine code, as measurements are.
    width_bound DOUBLE, -- Instructions per cycle by the width of the core alone.
    critical_path_bound DOUBLE, -- Instructions per cycle by the dependence chains alone.
    unit_bound DOUBLE, -- Instructions per cycle by the busiest functional unit alone.
    serialising_bound DOUBLE, -- Instructions per cycle by the tightest other bound and, in addition, the drains of serialising instructions; NULL where they are not counted, and for machine code, whose unit_bound includes them.
    tightest_bound DOUBLE, -- Instructions per cycle by the tightest of these.
    measured DOUBLE, -- Measured instructions per cycle; NULL where not measured.
    predicted_cycles DOUBLE, -- Predicted cycles of one pass.
    cycles_to_gain DOUBLE, -- Cycles by which the measured exceed the predicted ones, over all executions; NULL where not measured.
    model VARCHAR, -- Model that predicted (kind/version); issued where the measured issue distribution is all there was.
    isa VARCHAR, -- Instruction set of machine code (x86-64, aarch64, riscv64 ...): as the file names it, else that of the core; NULL for a trace and where it is not known.
    core VARCHAR, -- Core that the bounds of machine code are of (cores.core); NULL for a trace.
    hex VARCHAR, -- Machine code in hexadecimal; NULL for a trace.
    flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[] -- What to keep in mind. Without a prediction: undecodable, other_isa (of an instruction set that is not decoded), like_aarch64 (no x86-64, which nothing states, but plainly AArch64), not_on_core (instructions that the core lacks), system_instruction, unknown_cycles (repeated string instructions, gathers, stores by masks, functions of x87), empty, no_features, no_model (only bounds are known). Left out of threads and training: short (fewer cycles than throughput_settings.shortest), implausible (measured faster than the core is wide). Wide bands: poor_support (x87, MMX, instructions that the table of the core does not have; atomics of AArch64, whose bounds are loose), assumed_addresses (a load is taken to read what a store wrote, which is so where their registers point to the same place; elsewhere it is faster, up to the bounds), distinct_arrays (different registers are taken to point to different arrays; the slow end is where they point to the same place, as in blocks that were measured), outside_training (classes, mixes, chains or a length that no segment in training had), model_of_relative (no model is of the core, so that of the core that it inherits from is used with its own costs). other_core: the run names a machine that the model, or without one the table of the core, is not known to be of (core_names). Else: uses_measured_issue, no_front_end, no_dependences, assumed_window (the trace does not record it).
);

CREATE TABLE throughput_effects ( -- One row is one group of features of one segment: the feature contribution of the group (Shapley value), as a factor on the cycles that the model predicts for an instruction, against a typical segment of those it was trained on. The factors of a segment multiply to the model's cycles per instruction over those of the typical segment (baseline Shapley values of the logarithm, exact). Of a run with more than 2000 segments about 1000 are examined, spread evenly. No rows without a model, or with a model that was fitted before models recorded a typical segment.
    run_id VARCHAR, -- Run (runs.run_id).
    thread BIGINT, -- Thread.
    segment BIGINT, -- Segment.
    feature_group VARCHAR, -- size and front end, instruction mix, dependence chains, division and ports, memory or serialising instructions.
    factor DOUBLE, -- Factor on the cycles of one instruction: above 1 slower than the typical segment, below 1 faster.
    instructions BIGINT, -- Instructions of one pass of the segment.
    executions DOUBLE -- How often the program executes the segment; NULL where not known, which counts as once.
);
