-- Cores of x86-64 are rows as those of AArch64 are, and a core can inherit from a relative.

ALTER TABLE cores ADD COLUMN relative VARCHAR;
ALTER TABLE cores ADD COLUMN lacks VARCHAR;
COMMENT ON TABLE cores IS 'One row is a core whose costs of instructions are known. A core of your own is a row here, and rows of instruction_costs and core_ports; pwh fit throughput --core makes them from measured blocks.';
COMMENT ON COLUMN cores.dispatch IS 'Micro-operations a cycle that an AArch64 core dispatches; NULL where that is no limit.';
COMMENT ON COLUMN cores.relative IS 'Core (cores.core) whose rows count where this one has none; NULL where it has all.';
COMMENT ON COLUMN cores.lacks IS 'Instruction sets of x86-64 that it does not have: what their names (those of iced-x86) begin with, between blanks; NULL of a core with a relative: that of the relative.';

CREATE TABLE core_ports (
    core VARCHAR NOT NULL,
    unit VARCHAR NOT NULL,
    ports VARCHAR NOT NULL,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE core_ports IS 'One row says which ports of an x86-64 core execute a kind of operation.';
COMMENT ON COLUMN core_ports.core IS 'Core (cores.core).';
COMMENT ON COLUMN core_ports.unit IS 'Kind of operation: alu, and alu03, alu12, alu1 for those that not all of its ports execute; idiv; load, vload, store, vstore (v: of vector registers); fp, and fp01, fp12, fp23, fp03, fp0, fp1, fp2, fpstore for vectors; fdiv; all: the whole core.';
COMMENT ON COLUMN core_ports.ports IS 'Names of the ports, at most four, between slashes.';
COMMENT ON COLUMN core_ports.shipped IS 'Whether the row came with pwh.';

ALTER TABLE instruction_costs ADD COLUMN operations INTEGER;
ALTER TABLE instruction_costs ADD COLUMN front_end INTEGER;
ALTER TABLE instruction_costs ADD COLUMN least_share DOUBLE;
ALTER TABLE instruction_costs ADD COLUMN least_latency DOUBLE;
COMMENT ON TABLE instruction_costs IS 'One row is a group of instructions that cost a core the same; of AArch64, where a range is published, its least, so that bounds are bounds.';
COMMENT ON COLUMN instruction_costs.pattern IS 'Their forms, a regular expression. Of AArch64: mnemonic and kinds of operands, such as add x.x.x+lsl or fmla 4s.4s.4s (w, x: integer registers; b, h, s, d, q: scalar ones; 8b .. 2d: vectors; []: an element; #: a constant; m: memory, +index with an index, ! with an updated base; +lsl: shifted left by up to 4, +shift, +extend); base update: that of a load or store. Of x86-64: the mnemonic without AVX''s V, conditions as CC, fused multiplications as FMA; where it has a row of its own followed by the bits of wide vectors (DIVPS 256) or of divisions (DIV 64), x,r or r,x (moves between kinds of registers), b+i+d (LEA of three parts); and load, vector load, store, vector store, forward (from a store to a load; update, vector, renamed, failed), LOCK, REP, STRING, unknown.';
COMMENT ON COLUMN instruction_costs.ports IS 'Of AArch64, ports that can execute it, as V0/V1; of several micro-operations, joined by +. Of x86-64, its unit (core_ports.unit). NULL where it only passes the front end.';
COMMENT ON COLUMN instruction_costs.operations IS 'Operations on the unit (x86-64); NULL counts as 1.';
COMMENT ON COLUMN instruction_costs.front_end IS 'Further operations that only pass the front end (x86-64).';
COMMENT ON COLUMN instruction_costs.least_share IS 'Share of the time on its unit that it was measured to take at least, for bounds (x86-64); NULL counts as 1.';
COMMENT ON COLUMN instruction_costs.least_latency IS 'Least latency, for bounds (x86-64); NULL where it is the latency.';
