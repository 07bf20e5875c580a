-- Values of hardware events and other metrics, what bottlenecks are recognised by, and verdicts.

CREATE TABLE pmu_samples ( -- One row is the value of one event (hardware or software counter, or metric) in one sample.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    rank INTEGER, -- MPI rank; NULL where the sample is of the whole program.
    thread BIGINT, -- Thread: its number, or the system's thread id.
    cpu INTEGER, -- Processor, where counts are per processor.
    region VARCHAR, -- Code region or function; NULL where the sample is of the whole program.
    sample BIGINT, -- Number of the sample within its rank, thread and region, from 0.
    t_start BIGINT, -- Start of the sample, ns on the run's clock.
    t_end BIGINT, -- End of the sample, ns on the run's clock.
    event VARCHAR NOT NULL, -- Name of the event as the tool wrote it.
    value DOUBLE, -- Count or value over the sample; NULL where it was not counted.
    unit VARCHAR, -- Unit where the tool records one.
    running DOUBLE, -- Share of the time in which the event was on a counter, 0..1; below 1 the value is scaled up.
    deviation DOUBLE, -- Relative standard deviation over repetitions, where the tool records only their mean.
    inclusive DOUBLE, -- Value with callees, where the region is a function and the tool counts calls; NULL where it is unknown. value is then exclusive.
    seconds DOUBLE, -- Length of the sample, s, where it is known without start and end on the run's clock.
    source_line INTEGER -- Line of its source file at which the tool places the region, where that is not in its name; NULL where it is unknown.
);

CREATE TABLE metrics ( -- One row is one value of a scalar that a benchmark or a script measured of a run.
    run_id VARCHAR NOT NULL USING COMPRESSION dict_fsst, -- Run (runs.run_id).
    source_id BIGINT NOT NULL, -- File the row came from (sources.source_id).
    metric VARCHAR NOT NULL, -- Name: the benchmark, and what was measured of it where that is not its time.
    repetition INTEGER, -- Repetition of the measurement, from 0; NULL where the value is the only one, or the mean of several.
    value DOUBLE, -- Value; NULL where the measurement failed.
    unit VARCHAR, -- Unit; NULL where there is none or the tool does not record it.
    better VARCHAR, -- Which values are better, lower or higher; NULL where nobody said so.
    deviation DOUBLE -- Standard deviation over the mean, where the value is the mean of several measurements.
);

CREATE TABLE metric_sets ( -- One row is one metric set: the metrics of a platform. A new machine is a new set of rows.
    metric_set VARCHAR NOT NULL, -- Name of the set.
    platform VARCHAR NOT NULL, -- Machines and tool it is for.
    description VARCHAR NOT NULL, -- What it contains, and where its events are described.
    preference INTEGER NOT NULL, -- Of sets that fit a run equally well, the smallest is used.
    models_of VARCHAR NOT NULL, -- Set whose models apply (models.subject): its own name, or that of a set with the same metrics from other events.
    assumed_width DOUBLE, -- Issue width to assume where none is known.
    whole INTEGER NOT NULL DEFAULT 0, -- Number of metrics, from the first, that are shares and add up to 1; 0 where there are none.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether it came with pwh, whose next version may change it. To change one, copy it under another name.
);

CREATE TABLE metric_definitions ( -- One row is one event that a metric is made of: metric = sum(coefficient x event) / the set's denominator (cycles) of the same sample.
    metric_set VARCHAR NOT NULL, -- Set (metric_sets.metric_set).
    position INTEGER CHECK (position BETWEEN 0 AND 15), -- Place of the metric in the set, 0, 1, 2 ... up to 15; NULL for the denominator.
    metric VARCHAR, -- Metric; NULL for the denominator, which is that of all.
    event VARCHAR NOT NULL, -- Event, in lower case and without processor or modifier: cycles for cpu_core/cycles/u (event_aliases has other names).
    coefficient DOUBLE NOT NULL, -- Factor of the event in the sum.
    role VARCHAR NOT NULL CHECK (role IN ('numerator', 'denominator', 'divisor', 'share')), -- numerator: summed; denominator: summed, divides all metrics of the set; divisor: the issue width, which divides this metric where it is known; share: summed, divided by nothing.
    indicates VARCHAR, -- What a high value indicates in the rules: IPC, Mem, DTB, ICache, DMA; NULL where they do not use it.
    absent_is_zero BOOLEAN NOT NULL DEFAULT false, -- Whether the tool leaves the event out where it is zero; else its absence makes the metric NULL.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether it came with pwh.
);

CREATE TABLE metric_names ( -- One row is the long name of one metric of the metric sets.
    metric VARCHAR NOT NULL, -- Metric (metric_definitions.metric).
    title VARCHAR NOT NULL, -- What it counts, in words.
    unit VARCHAR NOT NULL, -- Its unit: per cycle, of the issue width, of the issue slots, of the cycles, bytes per cycle.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether it came with pwh; another row for the metric comes first.
);

CREATE TABLE metric_formulas ( -- One row is a metric that is computed by a formula of events and of earlier metrics of its set, as processor vendors publish them.
    metric_set VARCHAR NOT NULL, -- Set (metric_sets.metric_set); its denominator is in metric_definitions.
    position INTEGER NOT NULL, -- Place of the metric in the set, 0, 1, 2 ... up to 15.
    metric VARCHAR NOT NULL, -- Metric.
    formula VARCHAR NOT NULL, -- Numbers, events (in lower case and without processor or modifier) and metrics before it, with + - * / between blanks, brackets, and min, max and nearest(x, a, b ...), which is that of a, b ... that is nearest to x.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether it came with pwh.
);

CREATE TABLE slot_categories ( -- One row is a category of issue slots of top-down analysis, or a part of one.
    name VARCHAR NOT NULL, -- Category or part: a metric.
    category VARCHAR, -- Category of which it is a part; NULL for those of level 1.
    threshold DOUBLE, -- Share of all slots above which it limits the program, 0..1, as Intel publishes it; NULL where it is no loss.
    advice VARCHAR NOT NULL, -- What usually helps.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether it came with pwh.
);

CREATE TABLE event_aliases ( -- One row is another name under which tools write an event of the metric sets.
    event VARCHAR NOT NULL, -- Event as the sets name it (metric_definitions.event).
    alias VARCHAR NOT NULL, -- The other name, in lower case and without processor or modifier.
    preference INTEGER NOT NULL, -- Of several names in one file the smallest is used; the event's own name is 0.
    factor DOUBLE NOT NULL, -- Factor from the value under the other name to that of the event: 0.01 for per cent of a share.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether it came with pwh.
);

CREATE TABLE roofline_events ( -- One row is one event that counts floating-point operations or bytes of main memory.
    event VARCHAR NOT NULL, -- Event, in lower case and without processor or modifier.
    quantity VARCHAR NOT NULL CHECK (quantity IN ('flops', 'bytes', 'flops_per_rep', 'bytes_per_rep', 'reps', 'flops_per_second', 'bytes_per_second')), -- What it counts: flops or bytes, these per repetition (of reps) or per second.
    factor DOUBLE NOT NULL, -- Operations or bytes of one event.
    preference INTEGER NOT NULL, -- Of the events of one quantity in a file those with the smallest are used, and added.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether it came with pwh.
);

CREATE TABLE machine_settings ( -- One row is the settings for the runs of one machine.
    machine VARCHAR NOT NULL, -- Machine (runs.machine).
    metric_set VARCHAR, -- Metric set to use; NULL: the one that fits its events best.
    issue_width DOUBLE, -- Instructions its core can issue in a cycle; NULL where unknown.
    peak_flops DOUBLE, -- Floating-point operations that its runs can reach in a second, all cores in use; NULL where unknown.
    peak_bytes_per_second DOUBLE -- Bytes that they can move to and from main memory in a second; NULL where unknown.
);

CREATE TABLE bottleneck_rules ( -- One row is one class of bottleneck: the profile of its medoid and the first advice.
    class VARCHAR NOT NULL, -- Class.
    position INTEGER NOT NULL, -- Place in lists.
    high VARCHAR, -- What has to be high (metric_definitions.indicates), everything else but IPC being low; NULL: nothing, IPC low too.
    profile VARCHAR NOT NULL, -- The profile in words.
    advice VARCHAR NOT NULL, -- What usually helps.
    shipped BOOLEAN NOT NULL DEFAULT false -- Whether it came with pwh.
);

CREATE TABLE bottleneck_labels ( -- One row is a manual label: the class of samples. It overrides every model, and the latest label of the same scope counts. With a sample it applies to that sample alone; without, to all samples that have its rank, thread and region, where NULL is any.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    rank INTEGER, -- MPI rank.
    thread BIGINT, -- Thread.
    region VARCHAR, -- Code region or function.
    sample BIGINT, -- Number of the sample within its rank, thread and region; NULL for all.
    class VARCHAR NOT NULL, -- Class it belongs to.
    said_by VARCHAR, -- Author or source of the label.
    said_at TIMESTAMPTZ NOT NULL -- When it was given.
);

CREATE TABLE cluster_classes ( -- One row is a manual label: the class of a cluster. Clusters change their numbers when a model is fitted again, so it is stored with the medoid and applies to the nearest one.
    metric_set VARCHAR NOT NULL, -- Metric set (metric_sets.metric_set).
    medoid DOUBLE[] NOT NULL, -- The medoid that was labelled: log10 of its metrics, in the order of the set.
    class VARCHAR NOT NULL, -- Class it belongs to.
    said_by VARCHAR, -- Author of the label.
    said_at TIMESTAMPTZ NOT NULL -- When it was given.
);

CREATE TABLE bottleneck_costs ( -- One row is a measured cost share: the part of a sample's cycles that went when the run was repeated with one component made ideal. Models learn from these.
    run_id VARCHAR NOT NULL, -- Run (runs.run_id).
    rank INTEGER, -- MPI rank of the sample.
    thread BIGINT, -- Thread of the sample.
    region VARCHAR, -- Code region or function of the sample.
    sample BIGINT, -- Number of the sample within its rank, thread and region.
    component VARCHAR NOT NULL, -- Mem, DTB, ICache or DMA.
    share DOUBLE NOT NULL CHECK ("share" <= 1), -- Share of the cycles, up to 1; a little below 0 where the run became slower.
    said_by VARCHAR -- Who or what measured it.
);

CREATE TABLE _file_sets ( -- One row is a file of counters of a run and a metric set that its events belong to, as stored. Read metric_coverage.
    run_id VARCHAR, -- Run (runs.run_id).
    source_id BIGINT, -- File it came from (sources.source_id).
    metric_set VARCHAR, -- Metric set; NULL for events that no set knows.
    names VARCHAR[], -- Metrics of the set, in their order.
    events STRUCT(event VARCHAR, written VARCHAR, samples BIGINT, factor DOUBLE, "bit" BIGINT)[], -- Its events in the file: event of the set, written in the file, samples, factor and bit.
    in_pairs STRUCT(event VARCHAR, name VARCHAR)[], -- Events of the file that are a part of others, or have parts.
    positions BIGINT[], -- Positions of the metrics that can be computed.
    has_metrics BOOLEAN, -- Whether there are any.
    is_of_slots BOOLEAN, -- Whether they are shares of issue slots.
    place STRUCT( -- Place among the sets of the file, the best first.
        lacks_all BOOLEAN, is_other BOOLEAN, metrics BIGINT, "of" BIGINT, preference INTEGER,
        metric_set VARCHAR
    ),
    names_class BOOLEAN, -- Whether it is the set by which bottlenecks are named.
    is_used BOOLEAN -- Whether metrics of it are computed (sample_metrics).
);

CREATE TABLE sample_metrics ( -- One row is one sample and its metrics, by the metric set that fits its file best, and beside it by that of the shares of issue slots where the file has them (metric_coverage).
    run_id VARCHAR, -- Run (runs.run_id).
    source_id BIGINT, -- File it came from (sources.source_id).
    rank INTEGER, -- MPI rank.
    thread BIGINT, -- Thread.
    cpu INTEGER, -- Processor, where counts are per processor.
    region VARCHAR, -- Code region or function; of a hybrid processor with the kind of cores, cpu_core or cpu_atom.
    sample BIGINT, -- Number of the sample within its rank, thread and region.
    metric_set VARCHAR, -- Metric set; NULL where no set has a metric of the run's events.
    names VARCHAR[], -- Names of the metrics.
    metrics DOUBLE[], -- The metrics, counts per cycle or shares, in that order; NULL where an event is missing.
    cycles DOUBLE, -- Cycles of the sample (slots where the set counts those); NULL where they were not counted.
    seconds DOUBLE, -- Length of the sample, s; NULL where unknown.
    issue_width DOUBLE, -- Issue width that IPC was divided by: an event, the tag issue_width of the run, machine_settings, or the one assumed for the set.
    running DOUBLE, -- Smallest share of the time in which one of its events was on a counter, 0..1; values are scaled up.
    names_class BOOLEAN, -- Whether the class of the sample is by this set: true of one row of a sample.
    flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[], -- multiplexed (events took turns on the counters), single_sample (the only one of its file), summed (several values of an event were added), near_32_bits (a count just below 2^32, where counters wrap), issue_width_assumed, metrics_missing.
    reason STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR)) -- Why the sample cannot be judged; NULL where it can. A flag.
);

CREATE TABLE bottlenecks ( -- One row is the verdict on one sample: the class of its bottleneck, how sure that is, what drove it, and the largest possible gain from each component.
    run_id VARCHAR, -- Run (runs.run_id).
    source_id BIGINT, -- File it came from (sources.source_id).
    rank INTEGER, -- MPI rank.
    thread BIGINT, -- Thread.
    cpu INTEGER, -- Processor, where counts are per processor.
    region VARCHAR, -- Code region or function; of a hybrid processor with the kind of cores, cpu_core or cpu_atom.
    sample BIGINT, -- Number of the sample within its rank, thread and region.
    class VARCHAR, -- Balance, Mem, DTB, ICache, DMA, Other or Unknown; a manual label (bottleneck_labels) comes first.
    probability DOUBLE, -- Probability of the class, 0..1: of the likeliest one by the model, calibrated on programs that it had not seen, or of that which rules name; NULL where it is a manual label, where neither names one, or where the sample is too short or unlike those of the training.
    model VARCHAR, -- What classified it: a model (kind/version), top-down rules (shares of issue slots) or count rules (misses by their usual costs); NULL where it is a manual label or none was applied.
    drivers STRUCT(metric VARCHAR, contribution DOUBLE, deviation DOUBLE)[], -- Metrics that drove the verdict, the strongest first: each with its contribution to the logarithm of the odds, and its deviation from the mean of the training in standard deviations; of rules the share of slots or cycles, twice.
    advice VARCHAR, -- What usually helps (bottleneck_rules).
    said_by VARCHAR, -- Person who said the class; NULL where the model did.
    metric_set VARCHAR, -- Metric set.
    metrics_used VARCHAR[], -- Metrics of the set that were measured.
    cycles DOUBLE, -- Cycles of the sample.
    seconds DOUBLE, -- Length of the sample, s; NULL where unknown.
    frac_mem DOUBLE, -- Share of the cycles that would be saved if main memory cost nothing, 0..1: the largest possible gain.
    frac_mem_low DOUBLE, -- Lower end of its 90 % band.
    frac_mem_high DOUBLE, -- Upper end of its 90 % band.
    frac_dtb DOUBLE, -- Share of the cycles that would be saved if data-TLB misses cost nothing, 0..1: the largest possible gain.
    frac_dtb_low DOUBLE, -- Lower end of its 90 % band.
    frac_dtb_high DOUBLE, -- Upper end of its 90 % band.
    frac_icache DOUBLE, -- Share of the cycles that would be saved if instruction-cache misses cost nothing, 0..1: the largest possible gain.
    frac_icache_low DOUBLE, -- Lower end of its 90 % band.
    frac_icache_high DOUBLE, -- Upper end of its 90 % band.
    frac_dma DOUBLE, -- Share of the cycles that would be saved if DMA cost nothing, 0..1: the largest possible gain.
    frac_dma_low DOUBLE, -- Lower end of its 90 % band.
    frac_dma_high DOUBLE, -- Upper end of its 90 % band.
    flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[], -- What to keep in mind: those of sample_metrics; hidden_mem, hidden_dtb, hidden_icache, hidden_dma: its events are frequent, but overlap with other work and cost too little to be the bottleneck.
    reason STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR)) -- Why it is Unknown; NULL where it is not. A flag.
);
