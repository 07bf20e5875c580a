-- What a scalar rests on within its run: the noise of a run that is alone.

ALTER TABLE run_scalars ADD COLUMN measurements DOUBLE;
ALTER TABLE run_scalars ADD COLUMN deviation DOUBLE;
COMMENT ON COLUMN run_scalars.measurements IS 'Measurements that it rests on, where that is known: repetitions within the run, or about how many samples of a profiler.';
COMMENT ON COLUMN run_scalars.deviation IS 'Standard deviation of one measurement over their mean; 0 of what the tool counts exactly, NULL where it is not known, or its samples say it.';
