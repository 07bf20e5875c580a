-- What is on a board has a place and a width there.

ALTER TABLE saved_queries ADD COLUMN place INTEGER;
ALTER TABLE saved_queries ADD COLUMN is_half BOOLEAN;
COMMENT ON COLUMN saved_queries.place IS 'Its place on the board, from 0. NULL: after those that have one, by its name.';
COMMENT ON COLUMN saved_queries.is_half IS 'Whether it is half as wide as the board, with another half beside it. NULL: it is not.';
