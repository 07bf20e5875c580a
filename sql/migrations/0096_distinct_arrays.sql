-- The slow ends of what a block can take.

ALTER TABLE segment_features ADD COLUMN aliased_cycles DOUBLE;
ALTER TABLE segment_features ADD COLUMN serial_cycles DOUBLE;
COMMENT ON COLUMN segment_features.aliased_cycles IS 'Simulated cycles of one pass where registers point to the same place, if that differs; NULL where it was measured so.';
COMMENT ON COLUMN segment_features.serial_cycles IS 'Cycles of one pass with one instruction after another, which it does not exceed; NULL where not known.';
