-- The noise by which laws are judged is that of a point: of the median of its repetitions.

COMMENT ON COLUMN scaling_series.noise IS 'Noise of a point: the scatter of the repetitions (standard deviation over mean; the median over the counts, or that of the largest count where it is more), times that of the median of so many; 0 where there is only one.';
COMMENT ON COLUMN program_times.scatter IS 'Noise of the time: the scatter of the repetitions (standard deviation over their mean), times that of the median of so many; 0 where there is only one, and for a sum of rank means.';
