-- What a file contains and its reader leaves out; values of events with callees.

ALTER TABLE sources ADD COLUMN left_out VARCHAR;
COMMENT ON COLUMN sources.left_out IS 'What the file contains beside its rows, how many of them, and why it was left out; NULL where nothing was.';

ALTER TABLE pmu_samples ADD COLUMN inclusive DOUBLE;
COMMENT ON COLUMN pmu_samples.inclusive IS 'Value with callees, where the region is a function and the tool counts calls; NULL where it is unknown. value is then exclusive.';
