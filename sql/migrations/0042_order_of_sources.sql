-- Sources that land from now on are numbered in that order; those that are there keep their numbers,
-- which are smaller.
COMMENT ON COLUMN sources.source_id IS 'When it landed first, in microseconds since 1970 (UTC), or one more than the last: later files have larger numbers.';
