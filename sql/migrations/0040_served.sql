-- DuckDB's Quack sends the definitions of all tables to its clients, and none whose default is
-- computed by a function can be attached. Who writes these rows gives the time.

ALTER TABLE acknowledgements ALTER COLUMN said_at DROP DEFAULT;
ALTER TABLE bottleneck_labels ALTER COLUMN said_at DROP DEFAULT;
ALTER TABLE cluster_classes ALTER COLUMN said_at DROP DEFAULT;

-- Each transaction of a client of pwh serve begins with a change of this row, so that one waits for
-- the other: DuckDB lets two go on that land the same file.
CREATE TABLE _turns (turn BIGINT NOT NULL);
INSERT INTO _turns VALUES (0);
COMMENT ON TABLE _turns IS 'One row: how many transactions clients of pwh serve have begun.';
COMMENT ON COLUMN _turns.turn IS 'Their number.';
