-- Throughput: latencies and serialising instructions of cores; the instruction set of machine code,
-- and what its core does not execute well.

-- A check cannot be changed, so the table is made anew.
CREATE TEMP TABLE earlier_core_units AS FROM core_units;
DROP TABLE core_units;
CREATE TABLE core_units (
    core VARCHAR NOT NULL,
    class VARCHAR NOT NULL CHECK (
        class IN ('int', 'mul', 'div', 'fp', 'fp_div', 'simd', 'memory', 'branch', 'serialising')
    ),
    units DOUBLE NOT NULL CHECK (units > 0),
    cycles DOUBLE NOT NULL CHECK (cycles > 0),
    latency DOUBLE CHECK (latency >= 0),
    shipped BOOLEAN NOT NULL DEFAULT false
);
INSERT INTO core_units BY NAME FROM earlier_core_units;
DROP TABLE earlier_core_units;
COMMENT ON TABLE core_units IS 'One row is a class of micro-operations: how many units of a core execute it, for how long, and when its result is ready. A core of your own is a new set of rows under the name of the machine.';
COMMENT ON COLUMN core_units.core IS 'Machine (runs.machine), or what its name begins with before a dash; * for machines that have no rows.';
COMMENT ON COLUMN core_units.class IS 'Class: int, mul and div (of int), fp, fp_div (of fp), simd, memory (loads and stores), branch, serialising.';
COMMENT ON COLUMN core_units.units IS 'Units that execute it.';
COMMENT ON COLUMN core_units.cycles IS 'Cycles for which one occupies its unit: 1 where the unit is pipelined; of a serialising instruction the least cycles in which nothing else passes (drain and refill).';
COMMENT ON COLUMN core_units.latency IS 'Cycles until its result is ready, of memory those of a load; NULL counts as 1.';
COMMENT ON COLUMN core_units.shipped IS 'Whether the row came with pwh.';

ALTER TABLE segments ADD COLUMN isa VARCHAR;
COMMENT ON COLUMN segments.isa IS 'Instruction set of hex: x86-64, aarch64 or riscv64; NULL where the file does not name one.';

ALTER TABLE segment_features ADD COLUMN flags VARCHAR[];
COMMENT ON COLUMN segment_features.flags IS 'What the core does not have or the model does not know: not_on_core, system_instruction, poor_support, other_isa.';
