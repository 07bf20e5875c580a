-- Landing table of instruction-stream segments.

CREATE TABLE segments (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    thread BIGINT,
    segment BIGINT NOT NULL,
    cycles DOUBLE,
    instructions BIGINT,
    n_int BIGINT,
    n_fp BIGINT,
    n_simd BIGINT,
    n_load BIGINT,
    n_store BIGINT,
    n_branch BIGINT,
    n_other BIGINT,
    critical_path BIGINT[],
    serialising BIGINT,
    issued BIGINT[],
    hex VARCHAR
);
COMMENT ON TABLE segments IS 'One row is one stretch of one thread''s instruction stream.';
COMMENT ON COLUMN segments.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN segments.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN segments.thread IS 'Thread.';
COMMENT ON COLUMN segments.segment IS 'Number of the segment, from 0 in file order.';
COMMENT ON COLUMN segments.cycles IS 'Measured cycles of one pass; NULL where not measured.';
COMMENT ON COLUMN segments.instructions IS 'Instructions.';
COMMENT ON COLUMN segments.n_int IS 'Integer instructions.';
COMMENT ON COLUMN segments.n_fp IS 'Floating-point instructions.';
COMMENT ON COLUMN segments.n_simd IS 'SIMD instructions.';
COMMENT ON COLUMN segments.n_load IS 'Loads.';
COMMENT ON COLUMN segments.n_store IS 'Stores.';
COMMENT ON COLUMN segments.n_branch IS 'Branches.';
COMMENT ON COLUMN segments.n_other IS 'Instructions of no other class.';
COMMENT ON COLUMN segments.critical_path IS 'Dependence chains of length 1, 2, 3 ...';
COMMENT ON COLUMN segments.serialising IS 'Serialising instructions.';
COMMENT ON COLUMN segments.issued IS 'Cycles in which 0, 1, 2 ... instructions were issued.';
COMMENT ON COLUMN segments.hex IS 'Machine code of the segment, hexadecimal.';
