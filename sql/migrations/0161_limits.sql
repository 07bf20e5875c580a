-- What every screen states of a program's limits is stored once.

ALTER TABLE program_turning_points ADD COLUMN turning BIGINT;
ALTER TABLE program_turning_points ADD COLUMN is_predicted BOOLEAN;
ALTER TABLE program_turning_points ADD COLUMN efficient BIGINT;
ALTER TABLE program_turning_points ADD COLUMN efficient_low BIGINT;
ALTER TABLE program_turning_points ADD COLUMN efficient_high BIGINT;
ALTER TABLE program_turning_points ADD COLUMN times STRUCT(count BIGINT, seconds DOUBLE)[];
COMMENT ON TABLE program_turning_points IS 'One row is one set of runs (same application, version and machine), the count beyond which more processes make its program slower, and the largest at which it is efficient. The first holds of weak scaling, where the problem grows, too.';
COMMENT ON COLUMN program_turning_points.turning IS 'The count beyond which it gets slower, by its measured and predicted times up to 64 times the largest count; that where it gets faster all the way. NULL where it is unknown.';
COMMENT ON COLUMN program_turning_points.low IS 'Lower end of the 90 % interval of turning. NULL where it is unknown, for the reason in flags; the smallest count where any may be it.';
COMMENT ON COLUMN program_turning_points.high IS 'Upper end: at most the first count, of two an octave, from which on the intervals of program_predict leave none that may be the fastest; NULL where it is unknown, or where the program may get faster up to 64 times the largest count, or is measured and predicted to.';
COMMENT ON COLUMN program_turning_points.is_predicted IS 'Whether predicted times grow beyond turning; false where they are shorter far beyond the measured ones.';
COMMENT ON COLUMN program_turning_points.efficient IS 'The largest count with an efficiency of half or more, against the smallest count; 64 times the largest where it is so all the way. NULL where it is unknown, or less everywhere.';
COMMENT ON COLUMN program_turning_points.efficient_low IS 'Lower end of its 90 % interval.';
COMMENT ON COLUMN program_turning_points.efficient_high IS 'Upper end.';
COMMENT ON COLUMN program_turning_points.times IS 'The times of which this follows, s: at the measured counts and two an octave, up to 64 times the largest, without those that are guesses (program_predict).';
