-- The scalars of runs, kept when their files land, so that years of history are read in an instant.

CREATE TABLE run_scalars (
    run_id VARCHAR NOT NULL,
    metric VARCHAR NOT NULL,
    value DOUBLE NOT NULL,
    unit VARCHAR
);
COMMENT ON TABLE run_scalars IS 'One row is one scalar of a run, as added up when its files landed. Read run_metrics instead: it also has the runs that are not kept here.';
COMMENT ON COLUMN run_scalars.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN run_scalars.metric IS 'Metric (run_metrics.metric).';
COMMENT ON COLUMN run_scalars.value IS 'Its value.';
COMMENT ON COLUMN run_scalars.unit IS 'Unit; 1 for a share, NULL where there is none or the tool gives none.';

CREATE TABLE kept_runs (
    run_id VARCHAR NOT NULL
);
COMMENT ON TABLE kept_runs IS 'One row is a run whose scalars are in run_scalars. After changing rows of a run by hand delete its row here: its scalars are then added up whenever they are asked for.';
COMMENT ON COLUMN kept_runs.run_id IS 'Run (runs.run_id).';
