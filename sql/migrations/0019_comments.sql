-- Comments of tables in plain words.

COMMENT ON TABLE runs IS 'One row is one execution of a program. Facts are those stated by its files and the options of pwh ingest (run_facts).';
COMMENT ON COLUMN runs.tags IS 'Anything else that is known of the run.';

COMMENT ON TABLE run_facts IS 'One row is what one file, or the options given with it, state of one run. runs is computed from these, so that forgetting a file removes its facts.';
COMMENT ON COLUMN run_facts.source_id IS 'File that states them, or that was ingested with the options.';

COMMENT ON COLUMN pmu_samples.unit IS 'Unit where the tool records one.';
COMMENT ON COLUMN pmu_samples.deviation IS 'Relative standard deviation over repetitions, where the tool records only their mean.';

COMMENT ON COLUMN fn_timings.kind IS 'Kind of the function by the tool (computation, mpi, io ...); NULL where it records none.';

COMMENT ON COLUMN idle_intervals.flags IS 'Of causality, late_arrival, missing_transfer, neg_transfer; NULL where none applies.';
COMMENT ON TABLE idle_segments IS 'One row is one piece of an idle interval on the time axis. Stored for runs of up to 10 000 idle intervals; idle_timeline(run, t0, t1) returns the pieces of any run.';

COMMENT ON COLUMN bb_launches.granularity IS 'What one row of bb_visits describes: thread or warp.';
COMMENT ON COLUMN bb_launches.warp_instructions IS 'Executed warp instructions, where the trace records them.';

COMMENT ON TABLE function_kinds IS 'One row is a function and its kind. A row of the user''s has precedence over those that pwh brings; of two equal ones the last.';
COMMENT ON COLUMN function_kinds.function IS 'Name of the function, or a pattern with * and ?. MPI calls match in all their spellings (MPI_Send: pmpi_send_, MPI_SEND, MPI_Send(), MPI_Send_c ...).';

COMMENT ON TABLE model_choice IS 'One row is a manual choice of a model; the latest counts. Without one, the newest that was fitted here is used, else the newest that came with pwh.';
COMMENT ON COLUMN model_choice.said_by IS 'Who chose it.';
COMMENT ON TABLE shipped_files IS 'One row is one file of rows or one model that came with pwh, in the version that this warehouse has.';

COMMENT ON COLUMN metric_sets.description IS 'What it contains, and where its events are described.';
COMMENT ON COLUMN metric_sets.whole IS 'Number of metrics, from the first, that are shares and add up to 1; 0 where there are none.';
COMMENT ON COLUMN metric_definitions.indicates IS 'What a high value indicates in the rules: IPC, Mem, DTB, ICache, DMA; NULL where they do not use it.';
COMMENT ON TABLE machine_settings IS 'One row is the settings for the runs of one machine.';

COMMENT ON TABLE bottleneck_labels IS 'One row is a manual label: the class of samples. It overrides every model, and the latest label of the same scope counts. With a sample it applies to that sample alone; without, to all samples that have its rank, thread and region, where NULL is any.';
COMMENT ON COLUMN bottleneck_labels.said_by IS 'Author or source of the label.';
COMMENT ON COLUMN bottleneck_labels.said_at IS 'When it was given.';
COMMENT ON TABLE cluster_classes IS 'One row is a manual label: the class of a cluster. Clusters change their numbers when a model is fitted again, so it is stored with the medoid and applies to the nearest one.';
COMMENT ON COLUMN cluster_classes.medoid IS 'The medoid that was labelled: log10 of its metrics, in the order of the set.';
COMMENT ON COLUMN cluster_classes.said_by IS 'Author of the label.';
COMMENT ON COLUMN cluster_classes.said_at IS 'When it was given.';

COMMENT ON COLUMN behaviour_references.said_by IS 'Author of the label, and what it is based on.';

COMMENT ON TABLE series_fields IS 'One row is a field that has the same value in all runs of a series, in addition to the application. A run without it is in no series with runs that have it. Add a tag (compiler, cpu_model ...) to separate machines by it, delete a row to join them.';
COMMENT ON TABLE change_thresholds IS 'One row defines what counts as a change in the series that it matches; where it is NULL another row that matches decides. A row of the user''s has precedence over those that pwh brings, then the row with more letters that are no wildcards, then the last.';
COMMENT ON COLUMN change_thresholds.machine IS 'Machine, or a pattern; * also matches runs whose machine is unknown.';

COMMENT ON TABLE core_units IS 'One row is a class of micro-operations: how many units of a core execute it, and for how long. A core of your own is a new set of rows under the name of the machine.';
COMMENT ON COLUMN core_units.units IS 'Units that execute it.';
COMMENT ON TABLE throughput_settings IS 'One row: values for what a trace does not record. Change it by UPDATE.';

COMMENT ON TABLE rejections IS 'One row is a file that pwh ingest rejected, with the reason of the last time; it is removed when the file lands.';
COMMENT ON COLUMN rejections.reader IS 'Reader that rejected it (pwh readers); NULL where none recognised it.';
COMMENT ON COLUMN rejections.expected IS 'What was expected there, as far as known.';

COMMENT ON COLUMN run_scalars.unit IS 'Unit; 1 for a share, NULL where there is none or the tool does not record it.';
