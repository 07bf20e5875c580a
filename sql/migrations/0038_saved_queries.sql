-- Queries with names, which everyone who uses the warehouse can run.

CREATE TABLE saved_queries (
    name VARCHAR PRIMARY KEY,
    query VARCHAR NOT NULL,
    saved_at TIMESTAMPTZ NOT NULL
);
COMMENT ON TABLE saved_queries IS 'One row is a query with a name: pwh sql --save, or the SQL page. pwh sql --saved NAME runs it.';
COMMENT ON COLUMN saved_queries.name IS 'Its name.';
COMMENT ON COLUMN saved_queries.query IS 'Its SQL.';
COMMENT ON COLUMN saved_queries.saved_at IS 'When it was saved last.';
