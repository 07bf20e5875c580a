-- Bottleneck diagnosis: metrics as data, rules, and what people say.

CREATE TABLE metric_sets (
    metric_set VARCHAR NOT NULL,
    platform VARCHAR NOT NULL,
    description VARCHAR NOT NULL,
    preference INTEGER NOT NULL,
    models_of VARCHAR NOT NULL,
    assumed_width DOUBLE,
    whole INTEGER NOT NULL DEFAULT 0,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE metric_sets IS 'One row is one metric set: the metrics of a platform. A new machine is a new set of rows.';
COMMENT ON COLUMN metric_sets.metric_set IS 'Name of the set.';
COMMENT ON COLUMN metric_sets.platform IS 'Machines and tool it is for.';
COMMENT ON COLUMN metric_sets.description IS 'What it holds, and where its events are described.';
COMMENT ON COLUMN metric_sets.preference IS 'Of sets that fit a run equally well, the smallest is used.';
COMMENT ON COLUMN metric_sets.models_of IS 'Set whose models apply (models.subject): its own name, or that of a set with the same metrics from other events.';
COMMENT ON COLUMN metric_sets.assumed_width IS 'Issue width to assume where none is known.';
COMMENT ON COLUMN metric_sets.whole IS 'So many metrics from the first are shares that add up to 1; 0 where there are none.';
COMMENT ON COLUMN metric_sets.shipped IS 'Whether it came with pwh, whose next version may change it. To change one, copy it under another name.';

CREATE TABLE metric_definitions (
    metric_set VARCHAR NOT NULL,
    position INTEGER CHECK (position BETWEEN 0 AND 15),
    metric VARCHAR,
    event VARCHAR NOT NULL,
    coefficient DOUBLE NOT NULL,
    role VARCHAR NOT NULL CHECK (role IN ('numerator', 'denominator', 'divisor', 'share')),
    indicates VARCHAR,
    absent_is_zero BOOLEAN NOT NULL DEFAULT false,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE metric_definitions IS 'One row is one event that a metric is made of: metric = sum(coefficient x event) / the set''s denominator (cycles) of the same sample.';
COMMENT ON COLUMN metric_definitions.metric_set IS 'Set (metric_sets.metric_set).';
COMMENT ON COLUMN metric_definitions.position IS 'Place of the metric in the set, 0, 1, 2 ... up to 15; NULL for the denominator.';
COMMENT ON COLUMN metric_definitions.metric IS 'Metric; NULL for the denominator, which is that of all.';
COMMENT ON COLUMN metric_definitions.event IS 'Event, in lower case and without processor or modifier: cycles for cpu_core/cycles/u (event_aliases has other names).';
COMMENT ON COLUMN metric_definitions.coefficient IS 'Factor of the event in the sum.';
COMMENT ON COLUMN metric_definitions.role IS 'numerator: summed; denominator: summed, divides all metrics of the set; divisor: the issue width, which divides this metric where it is known; share: summed, divided by nothing.';
COMMENT ON COLUMN metric_definitions.indicates IS 'What a high value speaks of in the rules: IPC, Mem, DTB, ICache, DMA; NULL where they do not use it.';
COMMENT ON COLUMN metric_definitions.absent_is_zero IS 'Whether the tool leaves the event out where it is zero; else its absence makes the metric NULL.';
COMMENT ON COLUMN metric_definitions.shipped IS 'Whether it came with pwh.';

CREATE TABLE event_aliases (
    event VARCHAR NOT NULL,
    alias VARCHAR NOT NULL,
    preference INTEGER NOT NULL,
    factor DOUBLE NOT NULL,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE event_aliases IS 'One row is another name under which tools write an event of the metric sets.';
COMMENT ON COLUMN event_aliases.event IS 'Event as the sets name it (metric_definitions.event).';
COMMENT ON COLUMN event_aliases.alias IS 'The other name, in lower case and without processor or modifier.';
COMMENT ON COLUMN event_aliases.preference IS 'Of several names in one file the smallest is used; the event''s own name is 0.';
COMMENT ON COLUMN event_aliases.factor IS 'Factor from the value under the other name to that of the event: 0.01 for per cent of a share.';
COMMENT ON COLUMN event_aliases.shipped IS 'Whether it came with pwh.';

CREATE TABLE machine_settings (
    machine VARCHAR NOT NULL,
    metric_set VARCHAR,
    issue_width DOUBLE
);
COMMENT ON TABLE machine_settings IS 'One row is what is to be used for the runs of one machine.';
COMMENT ON COLUMN machine_settings.machine IS 'Machine (runs.machine).';
COMMENT ON COLUMN machine_settings.metric_set IS 'Metric set to use; NULL: the one that fits its events best.';
COMMENT ON COLUMN machine_settings.issue_width IS 'Instructions its core can issue in a cycle; NULL where unknown.';

CREATE TABLE bottleneck_rules (
    class VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    high VARCHAR,
    profile VARCHAR NOT NULL,
    advice VARCHAR NOT NULL,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE bottleneck_rules IS 'One row is one class of bottleneck: the profile of its medoid and the first advice.';
COMMENT ON COLUMN bottleneck_rules.class IS 'Class.';
COMMENT ON COLUMN bottleneck_rules.position IS 'Place in lists.';
COMMENT ON COLUMN bottleneck_rules.high IS 'What has to be high (metric_definitions.indicates), everything else but IPC being low; NULL: nothing, IPC low too.';
COMMENT ON COLUMN bottleneck_rules.profile IS 'The profile in words.';
COMMENT ON COLUMN bottleneck_rules.advice IS 'What usually helps.';
COMMENT ON COLUMN bottleneck_rules.shipped IS 'Whether it came with pwh.';

CREATE TABLE bottleneck_labels (
    run_id VARCHAR NOT NULL,
    rank INTEGER,
    thread BIGINT,
    region VARCHAR,
    sample BIGINT,
    class VARCHAR NOT NULL,
    said_by VARCHAR,
    said_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE bottleneck_labels IS 'One row is a person''s word on the class of samples. It overrules every model, and the latest word of the same scope counts. With a sample it speaks of that sample alone; without, of all samples that have its rank, thread and region, where NULL is any.';
COMMENT ON COLUMN bottleneck_labels.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bottleneck_labels.rank IS 'MPI rank.';
COMMENT ON COLUMN bottleneck_labels.thread IS 'Thread.';
COMMENT ON COLUMN bottleneck_labels.region IS 'Code region or function.';
COMMENT ON COLUMN bottleneck_labels.sample IS 'Number of the sample within its rank, thread and region; NULL for all.';
COMMENT ON COLUMN bottleneck_labels.class IS 'Class it belongs to.';
COMMENT ON COLUMN bottleneck_labels.said_by IS 'Who or what said so.';
COMMENT ON COLUMN bottleneck_labels.said_at IS 'When.';

CREATE TABLE cluster_classes (
    metric_set VARCHAR NOT NULL,
    medoid DOUBLE[] NOT NULL,
    class VARCHAR NOT NULL,
    said_by VARCHAR,
    said_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
COMMENT ON TABLE cluster_classes IS 'One row is a person''s word on the class of a cluster. Clusters change their numbers when a model is fitted again, so it is kept by the medoid and holds for the nearest one.';
COMMENT ON COLUMN cluster_classes.metric_set IS 'Metric set (metric_sets.metric_set).';
COMMENT ON COLUMN cluster_classes.medoid IS 'The medoid it was said of: log10 of its metrics, in the order of the set.';
COMMENT ON COLUMN cluster_classes.class IS 'Class it belongs to.';
COMMENT ON COLUMN cluster_classes.said_by IS 'Who said so.';
COMMENT ON COLUMN cluster_classes.said_at IS 'When.';

CREATE TABLE bottleneck_costs (
    run_id VARCHAR NOT NULL,
    rank INTEGER,
    thread BIGINT,
    region VARCHAR,
    sample BIGINT,
    component VARCHAR NOT NULL,
    share DOUBLE NOT NULL CHECK (share <= 1),
    said_by VARCHAR
);
COMMENT ON TABLE bottleneck_costs IS 'One row is a measured cost share: the part of a sample''s cycles that went when the run was repeated with one component made ideal. Models learn from these.';
COMMENT ON COLUMN bottleneck_costs.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bottleneck_costs.rank IS 'MPI rank of the sample.';
COMMENT ON COLUMN bottleneck_costs.thread IS 'Thread of the sample.';
COMMENT ON COLUMN bottleneck_costs.region IS 'Code region or function of the sample.';
COMMENT ON COLUMN bottleneck_costs.sample IS 'Number of the sample within its rank, thread and region.';
COMMENT ON COLUMN bottleneck_costs.component IS 'Mem, DTB, ICache or DMA.';
COMMENT ON COLUMN bottleneck_costs.share IS 'Share of the cycles, up to 1; a little below 0 where the run became slower.';
COMMENT ON COLUMN bottleneck_costs.said_by IS 'Who or what measured it.';
