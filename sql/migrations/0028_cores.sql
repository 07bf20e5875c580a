-- Cores with published tables: their instruction sets, and what each instruction costs.

CREATE TABLE cores (
    core VARCHAR NOT NULL,
    isa VARCHAR NOT NULL CHECK (isa IN ('x86-64', 'aarch64', 'riscv64')),
    width DOUBLE NOT NULL CHECK (width > 0),
    dispatch DOUBLE CHECK (dispatch > 0),
    is_default BOOLEAN NOT NULL DEFAULT false,
    source VARCHAR,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE cores IS 'One row is a core whose costs of instructions are known: those of zen3 come with pwh''s code, those of others are rows of instruction_costs. A core of your own is a row here, and rows there.';
COMMENT ON COLUMN cores.core IS 'Machine (runs.machine, in lower case), or what its name begins with before a dash.';
COMMENT ON COLUMN cores.isa IS 'Instruction set: x86-64, aarch64 or riscv64 (not decoded).';
COMMENT ON COLUMN cores.width IS 'Macro-operations a cycle that pass its narrowest stage.';
COMMENT ON COLUMN cores.dispatch IS 'Micro-operations a cycle that it dispatches; NULL where that is no limit.';
COMMENT ON COLUMN cores.is_default IS 'Whether it stands for its instruction set where a run names no machine.';
COMMENT ON COLUMN cores.source IS 'Where its figures are from: document and revision.';
COMMENT ON COLUMN cores.shipped IS 'Whether the row came with pwh.';

CREATE TABLE instruction_costs (
    core VARCHAR NOT NULL,
    line INTEGER NOT NULL,
    instructions VARCHAR,
    pattern VARCHAR NOT NULL,
    class VARCHAR NOT NULL CHECK (
        class IN ('int', 'fp', 'simd', 'branch', 'move', 'atomic', 'other')
    ),
    ports VARCHAR,
    cycles DOUBLE NOT NULL CHECK (cycles > 0),
    latency DOUBLE CHECK (latency >= 0),
    accumulate DOUBLE CHECK (accumulate >= 0),
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE instruction_costs IS 'One row is a group of AArch64 instructions that cost a core the same; where a range is published, its least, so that bounds are bounds.';
COMMENT ON COLUMN instruction_costs.core IS 'Core (cores.core).';
COMMENT ON COLUMN instruction_costs.line IS 'Order: of the rows that name an instruction the first counts.';
COMMENT ON COLUMN instruction_costs.instructions IS 'Instructions in the words of the source.';
COMMENT ON COLUMN instruction_costs.pattern IS 'Their forms, a regular expression: mnemonic and kinds of operands, such as add x.x.x+lsl or fmla 4s.4s.4s (w, x: integer registers; b, h, s, d, q: scalar ones; 8b .. 2d: vectors; []: an element; #: a constant; m: memory, +index with an index, ! with an updated base; +lsl: shifted left by up to 4, +shift, +extend); base update: that of a load or store.';
COMMENT ON COLUMN instruction_costs.class IS 'Class: int, fp, simd, branch, move (to or from memory alone), atomic (also acquire, release, exclusive: bounded loosely), other.';
COMMENT ON COLUMN instruction_costs.ports IS 'Ports that can execute it, as V0/V1; of several micro-operations, joined by +. NULL where it only passes the front end.';
COMMENT ON COLUMN instruction_costs.cycles IS 'Cycles for which its first micro-operation occupies its port: 1 where that is pipelined.';
COMMENT ON COLUMN instruction_costs.latency IS 'Cycles until its result is ready; NULL where it has none.';
COMMENT ON COLUMN instruction_costs.accumulate IS 'Cycles from its start to that of an instruction of the same row that adds to its result, where this is forwarded earlier.';
COMMENT ON COLUMN instruction_costs.shipped IS 'Whether the row came with pwh.';

COMMENT ON COLUMN segments.isa IS 'Instruction set of hex as the file names it (x86-64, aarch64, riscv64 ...); NULL where it does not.';
COMMENT ON COLUMN segment_features.flags IS 'What the core does not have or the model does not know: not_on_core, system_instruction, poor_support, other_isa, like_aarch64.';

ALTER TABLE segment_features ADD COLUMN core VARCHAR;
COMMENT ON COLUMN segment_features.core IS 'Core that the bounds are of (cores.core); NULL for instruction sets that are not decoded.';
