-- What models say of samples and segments is stored.

CREATE TABLE bottlenecks (
    run_id VARCHAR,
    source_id BIGINT,
    rank INTEGER,
    thread BIGINT,
    cpu INTEGER,
    region VARCHAR,
    sample BIGINT,
    class VARCHAR,
    probability DOUBLE,
    model VARCHAR,
    drivers STRUCT(metric VARCHAR, contribution DOUBLE, deviation DOUBLE)[],
    advice VARCHAR,
    reason VARCHAR,
    flags VARCHAR[],
    said_by VARCHAR,
    metric_set VARCHAR,
    metrics_used VARCHAR[],
    cycles DOUBLE,
    seconds DOUBLE,
    frac_mem DOUBLE,
    frac_mem_low DOUBLE,
    frac_mem_high DOUBLE,
    frac_dtb DOUBLE,
    frac_dtb_low DOUBLE,
    frac_dtb_high DOUBLE,
    frac_icache DOUBLE,
    frac_icache_low DOUBLE,
    frac_icache_high DOUBLE,
    frac_dma DOUBLE,
    frac_dma_low DOUBLE,
    frac_dma_high DOUBLE
);
COMMENT ON TABLE bottlenecks IS 'One row is the verdict on one sample: the class of its bottleneck, how sure that is, what drove it, and the largest possible gain from each component.';
COMMENT ON COLUMN bottlenecks.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN bottlenecks.source_id IS 'File it came from (sources.source_id).';
COMMENT ON COLUMN bottlenecks.rank IS 'MPI rank.';
COMMENT ON COLUMN bottlenecks.thread IS 'Thread.';
COMMENT ON COLUMN bottlenecks.cpu IS 'Processor, where counts are per processor.';
COMMENT ON COLUMN bottlenecks.region IS 'Code region or function.';
COMMENT ON COLUMN bottlenecks.sample IS 'Number of the sample within its rank, thread and region.';
COMMENT ON COLUMN bottlenecks.class IS 'Balance, Mem, DTB, ICache, DMA, Other or Unknown; a manual label (bottleneck_labels) comes first.';
COMMENT ON COLUMN bottlenecks.probability IS 'Probability of the likeliest class by the model, 0..1, calibrated on programs that it had not seen; NULL where it is a manual label, where no model was applied, or where the sample is too short or unlike those of the training.';
COMMENT ON COLUMN bottlenecks.model IS 'Model that classified it (kind/version); NULL where it is a manual label or none was applied.';
COMMENT ON COLUMN bottlenecks.drivers IS 'Metrics that drove the model''s verdict, the strongest first: each with its contribution to the logarithm of the odds, and its deviation from the mean of the training in standard deviations.';
COMMENT ON COLUMN bottlenecks.advice IS 'What usually helps (bottleneck_rules).';
COMMENT ON COLUMN bottlenecks.reason IS 'Why it is Unknown; NULL where it is not.';
COMMENT ON COLUMN bottlenecks.flags IS 'What to keep in mind: multiplexed, single_sample, summed, one_kind_of_cores (of a hybrid processor: cpu_core where it was counted), near_32_bits, issue_width_assumed, metrics_missing (sample_metrics.flags); hidden_mem, hidden_dtb, hidden_icache, hidden_dma: its events are frequent, but overlap with other work and cost too little to be the bottleneck.';
COMMENT ON COLUMN bottlenecks.said_by IS 'Person who said the class; NULL where the model did.';
COMMENT ON COLUMN bottlenecks.metric_set IS 'Metric set.';
COMMENT ON COLUMN bottlenecks.metrics_used IS 'Metrics of the set that were measured.';
COMMENT ON COLUMN bottlenecks.cycles IS 'Cycles of the sample.';
COMMENT ON COLUMN bottlenecks.seconds IS 'Length of the sample, s; NULL where unknown.';
COMMENT ON COLUMN bottlenecks.frac_mem IS 'Share of the cycles that would be saved if main memory cost nothing, 0..1: the largest possible gain.';
COMMENT ON COLUMN bottlenecks.frac_mem_low IS 'Lower end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_mem_high IS 'Upper end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_dtb IS 'Share of the cycles that would be saved if data-TLB misses cost nothing, 0..1: the largest possible gain.';
COMMENT ON COLUMN bottlenecks.frac_dtb_low IS 'Lower end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_dtb_high IS 'Upper end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_icache IS 'Share of the cycles that would be saved if instruction-cache misses cost nothing, 0..1: the largest possible gain.';
COMMENT ON COLUMN bottlenecks.frac_icache_low IS 'Lower end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_icache_high IS 'Upper end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_dma IS 'Share of the cycles that would be saved if DMA cost nothing, 0..1: the largest possible gain.';
COMMENT ON COLUMN bottlenecks.frac_dma_low IS 'Lower end of its 90 % band.';
COMMENT ON COLUMN bottlenecks.frac_dma_high IS 'Upper end of its 90 % band.';

CREATE TABLE throughput_predictions (
    run_id VARCHAR,
    thread BIGINT,
    segment BIGINT,
    address UBIGINT,
    function VARCHAR,
    source_file VARCHAR,
    source_line INTEGER,
    executions DOUBLE,
    instructions BIGINT,
    predicted DOUBLE,
    low DOUBLE,
    high DOUBLE,
    width_bound DOUBLE,
    critical_path_bound DOUBLE,
    unit_bound DOUBLE,
    serialising_bound DOUBLE,
    tightest_bound DOUBLE,
    measured DOUBLE,
    predicted_cycles DOUBLE,
    cycles_to_gain DOUBLE,
    model VARCHAR,
    flags VARCHAR[],
    isa VARCHAR,
    core VARCHAR,
    hex VARCHAR
);
COMMENT ON TABLE throughput_predictions IS 'One row is one segment: the instructions per cycle that its core could sustain on it when nothing misses, by the model in force, older estimates beside it, and what was measured.';
COMMENT ON COLUMN throughput_predictions.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN throughput_predictions.thread IS 'Thread.';
COMMENT ON COLUMN throughput_predictions.segment IS 'Segment, from 0 in file order.';
COMMENT ON COLUMN throughput_predictions.address IS 'Address of its first instruction, where known.';
COMMENT ON COLUMN throughput_predictions.function IS 'Function it belongs to, where known.';
COMMENT ON COLUMN throughput_predictions.source_file IS 'Source file of its first instruction, where known.';
COMMENT ON COLUMN throughput_predictions.source_line IS 'Line of its first instruction in the source file, where known.';
COMMENT ON COLUMN throughput_predictions.executions IS 'How often the program executes it; NULL where not known, which counts as once.';
COMMENT ON COLUMN throughput_predictions.instructions IS 'Instructions of one pass.';
COMMENT ON COLUMN throughput_predictions.predicted IS 'Predicted instructions per cycle; NULL for the reason in flags.';
COMMENT ON COLUMN throughput_predictions.low IS 'Lower end of its 90 % band; NULL where the model has none.';
COMMENT ON COLUMN throughput_predictions.high IS 'Upper end of its 90 % band; up to 3 % above the bounds for machine code, as measurements are.';
COMMENT ON COLUMN throughput_predictions.width_bound IS 'Instructions per cycle by the width of the core alone.';
COMMENT ON COLUMN throughput_predictions.critical_path_bound IS 'Instructions per cycle by the dependence chains alone.';
COMMENT ON COLUMN throughput_predictions.unit_bound IS 'Instructions per cycle by the busiest functional unit alone.';
COMMENT ON COLUMN throughput_predictions.serialising_bound IS 'Instructions per cycle by the tightest other bound and, in addition, the drains of serialising instructions; NULL where they are not counted, and for machine code, whose unit_bound includes them.';
COMMENT ON COLUMN throughput_predictions.tightest_bound IS 'Instructions per cycle by the tightest of these.';
COMMENT ON COLUMN throughput_predictions.measured IS 'Measured instructions per cycle; NULL where not measured.';
COMMENT ON COLUMN throughput_predictions.predicted_cycles IS 'Predicted cycles of one pass.';
COMMENT ON COLUMN throughput_predictions.cycles_to_gain IS 'Cycles by which the measured exceed the predicted ones, over all executions; NULL where not measured.';
COMMENT ON COLUMN throughput_predictions.model IS 'Model that predicted (kind/version); issued where the measured issue distribution is all there was.';
COMMENT ON COLUMN throughput_predictions.flags IS 'What to keep in mind. Without a prediction: undecodable, other_isa (of an instruction set that is not decoded), like_aarch64 (no x86-64, which nothing states, but plainly AArch64), not_on_core (instructions that the core lacks), system_instruction, unknown_cycles (repeated string instructions, gathers, stores by masks, functions of x87), empty, no_features, no_model (only bounds are known). Left out of threads and training: short (fewer cycles than throughput_settings.shortest), implausible (measured faster than the core is wide). Wide bands: poor_support (x87, MMX, instructions that the table of the core does not have; atomics of AArch64, whose bounds are loose), assumed_addresses (a load is taken to read what a store wrote, which is so where their registers point to the same place; elsewhere it is faster, up to the bounds), outside_training (classes, mixes, chains or a length that no segment in training had). other_core: the run names a machine that the model, or without one the table of the core, is not known to be of (core_names). Else: uses_measured_issue, no_front_end, no_dependences, assumed_window (the trace does not record it).';
COMMENT ON COLUMN throughput_predictions.isa IS 'Instruction set of machine code (x86-64, aarch64, riscv64 ...): as the file names it, else that of the core; NULL for a trace and where it is not known.';
COMMENT ON COLUMN throughput_predictions.core IS 'Core that the bounds of machine code are of (cores.core); NULL for a trace.';
COMMENT ON COLUMN throughput_predictions.hex IS 'Machine code in hexadecimal; NULL for a trace.';

CREATE TABLE throughput_effects (
    run_id VARCHAR,
    thread BIGINT,
    segment BIGINT,
    feature_group VARCHAR,
    factor DOUBLE,
    instructions BIGINT,
    executions DOUBLE
);
COMMENT ON TABLE throughput_effects IS 'One row is one group of features of one segment: the feature contribution of the group (Shapley value), as a factor on the cycles that the model predicts for an instruction, against a typical segment of those it was trained on. The factors of a segment multiply to the model''s cycles per instruction over those of the typical segment (baseline Shapley values of the logarithm, exact). Of a run with more than 2000 segments about 1000 are examined, spread evenly. No rows without a model, or with a model that was fitted before models recorded a typical segment.';
COMMENT ON COLUMN throughput_effects.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN throughput_effects.thread IS 'Thread.';
COMMENT ON COLUMN throughput_effects.segment IS 'Segment.';
COMMENT ON COLUMN throughput_effects.feature_group IS 'size and front end, instruction mix, dependence chains, division and ports, memory or serialising instructions.';
COMMENT ON COLUMN throughput_effects.factor IS 'Factor on the cycles of one instruction: above 1 slower than the typical segment, below 1 faster.';
COMMENT ON COLUMN throughput_effects.instructions IS 'Instructions of one pass of the segment.';
COMMENT ON COLUMN throughput_effects.executions IS 'How often the program executes the segment; NULL where not known, which counts as once.';

CREATE TABLE _file_sets (
    run_id VARCHAR,
    source_id BIGINT,
    metric_set VARCHAR,
    names VARCHAR[],
    events STRUCT("event" VARCHAR, written VARCHAR, samples BIGINT, factor DOUBLE, "bit" BIGINT)[],
    in_pairs STRUCT("event" VARCHAR, "name" VARCHAR)[],
    positions BIGINT[],
    has_metrics BOOLEAN,
    is_of_slots BOOLEAN,
    place STRUCT(lacks_all BOOLEAN, is_other BOOLEAN, metrics BIGINT, "of" BIGINT, preference INTEGER, metric_set VARCHAR),
    names_class BOOLEAN,
    is_used BOOLEAN
);
COMMENT ON TABLE _file_sets IS 'One row is a file of counters of a run and a metric set that its events belong to, as stored. Read metric_coverage.';
COMMENT ON COLUMN _file_sets.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN _file_sets.source_id IS 'File it came from (sources.source_id).';
COMMENT ON COLUMN _file_sets.metric_set IS 'Metric set; NULL for events that no set knows.';
COMMENT ON COLUMN _file_sets.names IS 'Metrics of the set, in their order.';
COMMENT ON COLUMN _file_sets.events IS 'Its events in the file: event of the set, written in the file, samples, factor and bit.';
COMMENT ON COLUMN _file_sets.in_pairs IS 'Events of the file that are a part of others, or have parts.';
COMMENT ON COLUMN _file_sets.positions IS 'Positions of the metrics that can be computed.';
COMMENT ON COLUMN _file_sets.has_metrics IS 'Whether there are any.';
COMMENT ON COLUMN _file_sets.is_of_slots IS 'Whether they are shares of issue slots.';
COMMENT ON COLUMN _file_sets.place IS 'Place among the sets of the file, the best first.';
COMMENT ON COLUMN _file_sets.names_class IS 'Whether it is the set by which bottlenecks are named.';
COMMENT ON COLUMN _file_sets.is_used IS 'Whether metrics of it are computed (sample_metrics).';

CREATE TABLE sample_metrics (
    run_id VARCHAR,
    source_id BIGINT,
    rank INTEGER,
    thread BIGINT,
    cpu INTEGER,
    region VARCHAR,
    sample BIGINT,
    metric_set VARCHAR,
    names VARCHAR[],
    metrics DOUBLE[],
    cycles DOUBLE,
    seconds DOUBLE,
    issue_width DOUBLE,
    running DOUBLE,
    reason VARCHAR,
    flags VARCHAR[],
    names_class BOOLEAN
);
COMMENT ON TABLE sample_metrics IS 'One row is one sample and its metrics, by the metric set that fits its file best, and beside it by that of the shares of issue slots where the file has them (metric_coverage).';
COMMENT ON COLUMN sample_metrics.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN sample_metrics.source_id IS 'File it came from (sources.source_id).';
COMMENT ON COLUMN sample_metrics.rank IS 'MPI rank.';
COMMENT ON COLUMN sample_metrics.thread IS 'Thread.';
COMMENT ON COLUMN sample_metrics.cpu IS 'Processor, where counts are per processor.';
COMMENT ON COLUMN sample_metrics.region IS 'Code region or function.';
COMMENT ON COLUMN sample_metrics.sample IS 'Number of the sample within its rank, thread and region.';
COMMENT ON COLUMN sample_metrics.metric_set IS 'Metric set; NULL where no set has a metric of the run''s events.';
COMMENT ON COLUMN sample_metrics.names IS 'Names of the metrics.';
COMMENT ON COLUMN sample_metrics.metrics IS 'The metrics, counts per cycle or shares, in that order; NULL where an event is missing.';
COMMENT ON COLUMN sample_metrics.cycles IS 'Cycles of the sample (slots where the set counts those); NULL where they were not counted.';
COMMENT ON COLUMN sample_metrics.seconds IS 'Length of the sample, s; NULL where unknown.';
COMMENT ON COLUMN sample_metrics.issue_width IS 'Issue width that IPC was divided by: an event, the tag issue_width of the run, machine_settings, or the one assumed for the set.';
COMMENT ON COLUMN sample_metrics.running IS 'Smallest share of the time in which one of its events was on a counter, 0..1; values are scaled up.';
COMMENT ON COLUMN sample_metrics.reason IS 'Why the sample cannot be judged; NULL where it can.';
COMMENT ON COLUMN sample_metrics.flags IS 'multiplexed (events took turns on the counters), single_sample (the only one of its file), summed (several values of an event were added), one_kind_of_cores (of a hybrid processor: cpu_core where it was counted, else cpu_atom), near_32_bits (a count just below 2^32, where counters wrap), issue_width_assumed, metrics_missing.';
COMMENT ON COLUMN sample_metrics.names_class IS 'Whether the class of the sample is by this set: true of one row of a sample.';
