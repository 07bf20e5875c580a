-- Landing table of scalars that a tool or a script names itself: results of benchmarks.

CREATE TABLE metrics (
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst,
    source_id BIGINT NOT NULL,
    metric VARCHAR NOT NULL,
    repetition INTEGER,
    value DOUBLE,
    unit VARCHAR,
    better VARCHAR,
    deviation DOUBLE
);
COMMENT ON TABLE metrics IS 'One row is one value of a scalar that a benchmark or a script measured of a run.';
COMMENT ON COLUMN metrics.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN metrics.source_id IS 'File the row came from (sources.source_id).';
COMMENT ON COLUMN metrics.metric IS 'Name: the benchmark, and what was measured of it where that is not its time.';
COMMENT ON COLUMN metrics.repetition IS 'Repetition of the measurement, from 0; NULL where the value is the only one, or the mean of several.';
COMMENT ON COLUMN metrics.value IS 'Value; NULL where the measurement failed.';
COMMENT ON COLUMN metrics.unit IS 'Unit; NULL where there is none or the tool does not record it.';
COMMENT ON COLUMN metrics.better IS 'Which values are better, lower or higher; NULL where nobody said so.';
COMMENT ON COLUMN metrics.deviation IS 'Standard deviation over the mean, where the value is the mean of several measurements.';
