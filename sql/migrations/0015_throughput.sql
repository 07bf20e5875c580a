-- Throughput: what more a trace can say of a segment, what decoded machine code gives, and the
-- units of cores.

ALTER TABLE segments ADD COLUMN uops BIGINT;
ALTER TABLE segments ADD COLUMN n_mul BIGINT;
ALTER TABLE segments ADD COLUMN n_div BIGINT;
ALTER TABLE segments ADD COLUMN n_fp_div BIGINT;
ALTER TABLE segments ADD COLUMN n_nonspeculative BIGINT;
ALTER TABLE segments ADD COLUMN taken BIGINT;
ALTER TABLE segments ADD COLUMN mispredicts BIGINT;
ALTER TABLE segments ADD COLUMN chain_latency DOUBLE;
ALTER TABLE segments ADD COLUMN distances BIGINT[];
ALTER TABLE segments ADD COLUMN front_end BIGINT[];
ALTER TABLE segments ADD COLUMN flow_unlimited DOUBLE;
ALTER TABLE segments ADD COLUMN flow_64 DOUBLE;
ALTER TABLE segments ADD COLUMN flow_128 DOUBLE;
ALTER TABLE segments ADD COLUMN rob INTEGER;
COMMENT ON COLUMN segments.uops IS 'Micro-operations; the classes count these where they are given, else instructions.';
COMMENT ON COLUMN segments.n_mul IS 'Integer multiplications, among n_int.';
COMMENT ON COLUMN segments.n_div IS 'Integer divisions, among n_int.';
COMMENT ON COLUMN segments.n_fp_div IS 'Floating-point divisions and square roots, among n_fp.';
COMMENT ON COLUMN segments.n_nonspeculative IS 'Micro-operations that wait until they are the oldest.';
COMMENT ON COLUMN segments.taken IS 'Branches that were taken.';
COMMENT ON COLUMN segments.mispredicts IS 'Mispredicted branches, measured; no input of a prediction.';
COMMENT ON COLUMN segments.chain_latency IS 'Mean length of the longest dependence chain in groups of 40 micro-operations, weighted by latency, cycles.';
COMMENT ON COLUMN segments.distances IS 'Micro-operations whose nearest producer is 1, 2, 3, 4-7, 8-15, 16-31, 32-63, 64 and more before.';
COMMENT ON COLUMN segments.front_end IS 'Cycles in which an ideal front end delivers 0, 1, 2 ... micro-operations, from the trace alone.';
COMMENT ON COLUMN segments.flow_unlimited IS 'Cycles that the data flow alone takes, no window.';
COMMENT ON COLUMN segments.flow_64 IS 'Cycles that the data flow takes in a window of 64 micro-operations.';
COMMENT ON COLUMN segments.flow_128 IS 'Cycles that the data flow takes in a window of 128 micro-operations.';
COMMENT ON COLUMN segments.rob IS 'Entries of the core''s reorder buffer.';

CREATE TABLE segment_features (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    thread BIGINT,
    segment BIGINT NOT NULL,
    cycles DOUBLE,
    instructions BIGINT,
    width_bound DOUBLE,
    critical_path_bound DOUBLE,
    unit_bound DOUBLE,
    features FLOAT[]
);
COMMENT ON TABLE segment_features IS 'One row is one segment of machine code, decoded once, when it lands.';
COMMENT ON COLUMN segment_features.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN segment_features.source_id IS 'File it came from (sources.source_id).';
COMMENT ON COLUMN segment_features.thread IS 'Thread.';
COMMENT ON COLUMN segment_features.segment IS 'Segment (segments.segment).';
COMMENT ON COLUMN segment_features.cycles IS 'Measured cycles of one pass; NULL where not measured.';
COMMENT ON COLUMN segment_features.instructions IS 'Instructions; NULL where the code cannot be decoded.';
COMMENT ON COLUMN segment_features.width_bound IS 'Cycles of one pass by the width of the front end alone.';
COMMENT ON COLUMN segment_features.critical_path_bound IS 'Cycles of one pass by its dependence chains alone.';
COMMENT ON COLUMN segment_features.unit_bound IS 'Cycles of one pass by its busiest functional unit alone.';
COMMENT ON COLUMN segment_features.features IS 'What models take, in their order of inputs; NULL where the code cannot be decoded.';

CREATE TABLE core_units (
    core VARCHAR NOT NULL,
    class VARCHAR NOT NULL CHECK (class IN ('int', 'mul', 'div', 'fp', 'fp_div', 'simd', 'memory', 'branch')),
    units DOUBLE NOT NULL CHECK (units > 0),
    cycles DOUBLE NOT NULL CHECK (cycles > 0),
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE core_units IS 'One row says how many units of a core take a class of micro-operations, and for how long. A core of your own is a new set of rows under the name of the machine.';
COMMENT ON COLUMN core_units.core IS 'Machine (runs.machine); * for machines that have no rows.';
COMMENT ON COLUMN core_units.class IS 'Class: int, mul and div (of int), fp, fp_div (of fp), simd, memory (loads and stores), branch.';
COMMENT ON COLUMN core_units.units IS 'Units that take it.';
COMMENT ON COLUMN core_units.cycles IS 'Cycles for which one keeps its unit busy.';
COMMENT ON COLUMN core_units.shipped IS 'Whether the row came with pwh.';

CREATE TABLE throughput_settings (
    shortest DOUBLE NOT NULL CHECK (shortest >= 0),
    width DOUBLE NOT NULL CHECK (width > 0),
    "window" DOUBLE NOT NULL CHECK ("window" > 0)
);
COMMENT ON TABLE throughput_settings IS 'One row: what holds where a trace does not say it. Change it by UPDATE.';
COMMENT ON COLUMN throughput_settings.shortest IS 'Segments of a trace that take fewer cycles are left out of threads and of training.';
COMMENT ON COLUMN throughput_settings.width IS 'Instructions a cycle of a core whose width is not known.';
COMMENT ON COLUMN throughput_settings."window" IS 'Entries of a reorder buffer whose size is not known.';

INSERT INTO throughput_settings VALUES (1000, 4, 128);
