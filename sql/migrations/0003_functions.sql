-- Landing table of function times.

CREATE TABLE fn_timings (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    function VARCHAR NOT NULL,
    callpath VARCHAR,
    kind VARCHAR,
    parallelism INTEGER,
    rank INTEGER,
    thread BIGINT,
    repetition INTEGER,
    seconds DOUBLE,
    inclusive_seconds DOUBLE,
    calls BIGINT
);
COMMENT ON TABLE fn_timings IS 'One row is the time of one function in one measurement.';
COMMENT ON COLUMN fn_timings.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN fn_timings.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN fn_timings.function IS 'Function, as the tool names it.';
COMMENT ON COLUMN fn_timings.callpath IS 'Call path down to the function, joined with ->; NULL in flat profiles.';
COMMENT ON COLUMN fn_timings.kind IS 'What the tool says the function is (computation, mpi, io ...); NULL where it does not.';
COMMENT ON COLUMN fn_timings.parallelism IS 'Processes (or what the program is scaled by) in this measurement.';
COMMENT ON COLUMN fn_timings.rank IS 'MPI rank; NULL where the time is of the whole program or a mean over ranks.';
COMMENT ON COLUMN fn_timings.thread IS 'Thread; NULL where the time is of the process.';
COMMENT ON COLUMN fn_timings.repetition IS 'Repetition of the same measurement, from 0.';
COMMENT ON COLUMN fn_timings.seconds IS 'Exclusive time (the function''s own, without callees), s.';
COMMENT ON COLUMN fn_timings.inclusive_seconds IS 'Time with callees, s.';
COMMENT ON COLUMN fn_timings.calls IS 'Times it was called.';
