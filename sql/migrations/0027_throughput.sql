-- Throughput: bounds in cycles are named so, stored ones know the tables they were computed from,
-- and segments know where in the program they are and how often it executes them.

ALTER TABLE segment_features RENAME COLUMN width_bound TO width_cycles;
ALTER TABLE segment_features RENAME COLUMN critical_path_bound TO critical_path_cycles;
ALTER TABLE segment_features RENAME COLUMN unit_bound TO unit_cycles;
ALTER TABLE segment_features ADD COLUMN revision INTEGER;
COMMENT ON COLUMN segment_features.width_cycles IS 'Least cycles of one pass by the width of the front end alone.';
COMMENT ON COLUMN segment_features.critical_path_cycles IS 'Least cycles of one pass by its dependence chains alone.';
COMMENT ON COLUMN segment_features.unit_cycles IS 'Least cycles of one pass by its busiest functional unit alone.';
COMMENT ON COLUMN segment_features.revision IS 'Revision of the tables and rules that the row was computed by; pwh migrate computes rows of others anew.';

ALTER TABLE segments ADD COLUMN address UBIGINT;
ALTER TABLE segments ADD COLUMN function VARCHAR;
ALTER TABLE segments ADD COLUMN source_file VARCHAR;
ALTER TABLE segments ADD COLUMN source_line INTEGER;
ALTER TABLE segments ADD COLUMN executions DOUBLE;
COMMENT ON COLUMN segments.address IS 'Address of its first instruction.';
COMMENT ON COLUMN segments.function IS 'Function it belongs to.';
COMMENT ON COLUMN segments.source_file IS 'Source file of its first instruction.';
COMMENT ON COLUMN segments.source_line IS 'Line of its first instruction in the source file.';
COMMENT ON COLUMN segments.executions IS 'How often the program executes it (passes, or samples in proportion); NULL counts as 1.';
