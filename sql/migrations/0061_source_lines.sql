-- The line of a function is not part of its name, so that its history goes on where lines move.

ALTER TABLE fn_timings ADD COLUMN source_line INTEGER;
COMMENT ON COLUMN fn_timings.source_line IS 'Line of its source file at which the tool places the function, where that is not in its name; NULL where it is unknown.';
COMMENT ON COLUMN fn_timings.function IS 'Function, as the tool names it, without its line where no other function of the recording has that name in that file.';

ALTER TABLE pmu_samples ADD COLUMN source_line INTEGER;
COMMENT ON COLUMN pmu_samples.source_line IS 'Line of its source file at which the tool places the region, where that is not in its name; NULL where it is unknown.';

-- A table of runs can have one row for each benchmark.
INSERT INTO series_fields VALUES ('benchmark', true) ON CONFLICT DO NOTHING;
