-- What files contain twice, and by which views and rules scalars were added up.

ALTER TABLE sources ADD COLUMN repeats VARCHAR;
COMMENT ON COLUMN sources.repeats IS 'What the file contains twice: itself, or rows of these tables, which sums then count twice. NULL where nothing was found.';

ALTER TABLE kept_runs ADD COLUMN revision VARCHAR;
COMMENT ON COLUMN kept_runs.revision IS 'Digest of the SQL by which the scalars were added up; pwh migrate adds them up again where it is not that of this pwh.';
