-- Each kind of cores of a hybrid processor is a region of its own; rules name classes by counts, too.

COMMENT ON COLUMN sample_metrics.region IS 'Code region or function; of a hybrid processor with the kind of cores, cpu_core or cpu_atom.';
COMMENT ON COLUMN sample_metrics.flags IS 'multiplexed (events took turns on the counters), single_sample (the only one of its file), summed (several values of an event were added), near_32_bits (a count just below 2^32, where counters wrap), issue_width_assumed, metrics_missing.';
COMMENT ON COLUMN bottlenecks.region IS 'Code region or function; of a hybrid processor with the kind of cores, cpu_core or cpu_atom.';
COMMENT ON COLUMN bottlenecks.probability IS 'Probability of the class, 0..1: of the likeliest one by the model, calibrated on programs that it had not seen, or of that which rules name; NULL where it is a manual label, where neither names one, or where the sample is too short or unlike those of the training.';
COMMENT ON COLUMN bottlenecks.model IS 'What classified it: a model (kind/version), top-down rules (shares of issue slots) or count rules (misses by their usual costs); NULL where it is a manual label or none was applied.';
COMMENT ON COLUMN bottlenecks.drivers IS 'Metrics that drove the verdict, the strongest first: each with its contribution to the logarithm of the odds, and its deviation from the mean of the training in standard deviations; of rules the share of slots or cycles, twice.';
