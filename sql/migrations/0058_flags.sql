-- Flags are codes with arguments; their texts are rows.

CREATE TABLE flag_texts (
    code VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE flag_texts IS 'One row is the text of a flag: flag_text(flag) fills it in.';
COMMENT ON COLUMN flag_texts.code IS 'Code of the flag.';
COMMENT ON COLUMN flag_texts.text IS 'What it says: a short form, and behind a colon more. {name} stands for the argument of that name.';
COMMENT ON COLUMN flag_texts.shipped IS 'Whether the row came with pwh.';

-- What has them is computed anew.
ALTER TABLE sample_metrics DROP COLUMN flags;
ALTER TABLE sample_metrics ADD COLUMN flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[];
COMMENT ON COLUMN sample_metrics.flags IS 'multiplexed (events took turns on the counters), single_sample (the only one of its file), summed (several values of an event were added), one_kind_of_cores (of a hybrid processor: cpu_core where it was counted, else cpu_atom), near_32_bits (a count just below 2^32, where counters wrap), issue_width_assumed, metrics_missing.';

ALTER TABLE bottlenecks DROP COLUMN flags;
ALTER TABLE bottlenecks ADD COLUMN flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[];
COMMENT ON COLUMN bottlenecks.flags IS 'What to keep in mind: those of sample_metrics; hidden_mem, hidden_dtb, hidden_icache, hidden_dma: its events are frequent, but overlap with other work and cost too little to be the bottleneck.';

ALTER TABLE throughput_predictions DROP COLUMN flags;
ALTER TABLE throughput_predictions ADD COLUMN flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[];
COMMENT ON COLUMN throughput_predictions.flags IS 'What to keep in mind. Without a prediction: undecodable, other_isa (of an instruction set that is not decoded), like_aarch64 (no x86-64, which nothing states, but plainly AArch64), not_on_core (instructions that the core lacks), system_instruction, unknown_cycles (repeated string instructions, gathers, stores by masks, functions of x87), empty, no_features, no_model (only bounds are known). Left out of threads and training: short (fewer cycles than throughput_settings.shortest), implausible (measured faster than the core is wide). Wide bands: poor_support (x87, MMX, instructions that the table of the core does not have; atomics of AArch64, whose bounds are loose), assumed_addresses (a load is taken to read what a store wrote, which is so where their registers point to the same place; elsewhere it is faster, up to the bounds), outside_training (classes, mixes, chains or a length that no segment in training had). other_core: the run names a machine that the model, or without one the table of the core, is not known to be of (core_names). Else: uses_measured_issue, no_front_end, no_dependences, assumed_window (the trace does not record it).';

ALTER TABLE scaling_sets DROP COLUMN flags;
ALTER TABLE scaling_sets ADD COLUMN flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[];
COMMENT ON COLUMN scaling_sets.flags IS 'What was assumed, and what speaks against one problem: scaling_assumed, weak_in_part, sizes_differ, several_problems (tags by which runs at one count differ, if their times do by more than a quarter).';

ALTER TABLE scaling_series DROP COLUMN flags;
ALTER TABLE scaling_series ADD COLUMN flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[];
COMMENT ON COLUMN scaling_series.flags IS 'What is amiss with the measurements: no_model_stopped, no_model_zero, no_model_zero_last (why there is no model), zero_times, negative_times, missing_counts, noise, repetitions_differ.';

ALTER TABLE scaling_models DROP COLUMN flags;
ALTER TABLE scaling_models ADD COLUMN flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[];
COMMENT ON COLUMN scaling_models.flags IS 'What to keep in mind: those of scaling_series and scaling_sets; no_model_few_counts, few_counts, outlier, poor_fit (no smooth law comes within 20 % of the points), formula_off (nor does the formula), formula_disagrees; law_may_change, times_rounded, last_counts_off (it cannot be extrapolated).';

ALTER TABLE scaling_surfaces DROP COLUMN flags;
ALTER TABLE scaling_surfaces ADD COLUMN flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[];
COMMENT ON COLUMN scaling_surfaces.flags IS 'Why there is no model: no_size_model_few.';

ALTER TABLE program_turning_points DROP COLUMN flags;
ALTER TABLE program_turning_points ADD COLUMN flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[];
COMMENT ON COLUMN program_turning_points.flags IS 'What to keep in mind, as in scaling_models: no_model_few_counts, few_counts, outlier, poor_fit, law_may_change, times_rounded, last_counts_off.';

ALTER TABLE program_models DROP COLUMN flags;
ALTER TABLE program_models ADD COLUMN flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[];
COMMENT ON COLUMN program_models.flags IS 'What to keep in mind: those of scaling_sets, and of scaling_models; no_model_untimed, functions_without_model, sum_disagrees, perhaps_weak (the time hardly falls: perhaps the problem size is that of one process).';

ALTER TABLE change_explanations DROP COLUMN flags;
ALTER TABLE change_explanations ADD COLUMN flags STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))[];
COMMENT ON COLUMN change_explanations.flags IS 'single_run, few_runs (too few to distinguish from noise), new, gone (a function of one side only), separated (every run of one side above every run of the other, but among too many functions to be certain), largest (not certain, but one of the three largest shares of a loss of which other functions explain less than half), same_count (an event per cycle moved because the cycles did, not its count), flags of scaling models.';

ALTER TABLE sample_metrics DROP COLUMN reason;
ALTER TABLE sample_metrics ADD COLUMN reason STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR));
COMMENT ON COLUMN sample_metrics.reason IS 'Why the sample cannot be judged; NULL where it can. A flag.';

ALTER TABLE bottlenecks DROP COLUMN reason;
ALTER TABLE bottlenecks ADD COLUMN reason STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR));
COMMENT ON COLUMN bottlenecks.reason IS 'Why it is Unknown; NULL where it is not. A flag.';

ALTER TABLE thread_behaviour DROP COLUMN contradiction;
ALTER TABLE thread_behaviour ADD COLUMN contradiction STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR));
COMMENT ON COLUMN thread_behaviour.contradiction IS 'How the fluctuation rate differs from the verdict, which follows the lanes of warps; NULL where they agree. A flag.';

ALTER TABLE thread_behaviour DROP COLUMN simt_note;
ALTER TABLE thread_behaviour ADD COLUMN simt_note STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR));
COMMENT ON COLUMN thread_behaviour.simt_note IS 'Why there is no SIMT efficiency or verdict from it, or of which warps it is. A flag.';

ALTER TABLE thread_behaviour DROP COLUMN note;
ALTER TABLE thread_behaviour ADD COLUMN note STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR));
COMMENT ON COLUMN thread_behaviour.note IS 'Why a figure or verdict is missing, or what it is based on; NULL where there is nothing to note. A flag.';

COMMENT ON COLUMN program_models.formula IS 'Formula of the time, seconds by p. It is what program_predict predicts, unless formula_disagrees or sum_disagrees is among the flags: more than 10 % off up to eight times the largest count.';
