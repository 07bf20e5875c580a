-- Landing table of hardware and software counters.

CREATE TABLE pmu_samples (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    rank INTEGER,
    thread BIGINT,
    cpu INTEGER,
    region VARCHAR,
    sample BIGINT,
    t_start BIGINT,
    t_end BIGINT,
    event VARCHAR NOT NULL,
    value DOUBLE,
    unit VARCHAR,
    running DOUBLE,
    deviation DOUBLE
);
COMMENT ON TABLE pmu_samples IS 'One row is the value of one event (hardware or software counter, or metric) in one sample.';
COMMENT ON COLUMN pmu_samples.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN pmu_samples.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN pmu_samples.rank IS 'MPI rank; NULL where the sample is of the whole program.';
COMMENT ON COLUMN pmu_samples.thread IS 'Thread: its number, or the system''s thread id.';
COMMENT ON COLUMN pmu_samples.cpu IS 'Processor, where counts are per processor.';
COMMENT ON COLUMN pmu_samples.region IS 'Code region or function; NULL where the sample is of the whole program.';
COMMENT ON COLUMN pmu_samples.sample IS 'Number of the sample within its rank, thread and region, from 0.';
COMMENT ON COLUMN pmu_samples.t_start IS 'Start of the sample, ns on the run''s clock.';
COMMENT ON COLUMN pmu_samples.t_end IS 'End of the sample, ns on the run''s clock.';
COMMENT ON COLUMN pmu_samples.event IS 'Name of the event as the tool wrote it.';
COMMENT ON COLUMN pmu_samples.value IS 'Count or value over the sample; NULL where it was not counted.';
COMMENT ON COLUMN pmu_samples.unit IS 'Unit where the tool gives one.';
COMMENT ON COLUMN pmu_samples.running IS 'Share of the time in which the event was on a counter, 0..1; below 1 the value is scaled up.';
COMMENT ON COLUMN pmu_samples.deviation IS 'Relative standard deviation over repetitions, where the tool gives only their mean.';
