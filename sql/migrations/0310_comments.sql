-- The noise by which laws are judged is that of a point: of the median of its repetitions.

COMMENT ON COLUMN scaling_series.noise IS 'Noise of a point: the scatter of the repetitions (standard deviation over mean; the median over the counts, or that of the largest count where it is more), times that of the median of so many; 0 where there is only one.';
COMMENT ON COLUMN program_times.scatter IS 'Noise of the time: the scatter of the repetitions (standard deviation over their mean), times that of the median of so many; 0 where there is only one, and for a sum of rank means.';

-- Exponents differ where their difference does, and a cause can be a function with its callees.
COMMENT ON COLUMN change_explanations.metric IS 'What before and after are of: seconds:FUNCTION, inclusive:FUNCTION (of a cause: with its callees), per_cycle:EVENT, frac_mem, exponent, starvation_percent, fluctuation ...';
COMMENT ON COLUMN change_explanations.certain IS 'Whether it is beyond noise: of numbers where p_value is below 0.05 (comparison), of exponents where the 90 % interval of their difference is off 0, of classes where nine of ten runs on both sides agree. NULL: the noise is unknown (flags). Changes within noise have no row, except functions with the flags new, gone, separated or largest.';
