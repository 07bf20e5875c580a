-- What is said of laws that break, and the noise of repetitions that scatter at the last count.

COMMENT ON COLUMN scaling_series.noise IS 'Scatter of the repetitions (standard deviation over mean): the median over the counts, or that of the largest count where it is more; 0 where there is only one.';
COMMENT ON COLUMN scaling_models.flags IS 'What to keep in mind: those of scaling_series and scaling_sets; no_model_few_counts, few_counts, outlier, new_regime (the law of the counts from there on predicts), poor_fit (no law comes within 20 % of the points), formula_off (nor does the formula), formula_disagrees; break_not_extrapolatable (another law may begin at one of the last two counts), times_rounded, last_counts_off (it cannot be extrapolated).';
COMMENT ON COLUMN program_turning_points.flags IS 'What to keep in mind, as in scaling_models: no_model_few_counts, few_counts, outlier, new_regime, poor_fit, break_not_extrapolatable, times_rounded, last_counts_off.';
