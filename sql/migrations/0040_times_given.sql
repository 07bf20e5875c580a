-- DuckDB's Quack sends the definitions of all tables to its clients, and none whose default is
-- computed by a function can be attached. Who writes these rows gives the time.

ALTER TABLE acknowledgements ALTER COLUMN said_at DROP DEFAULT;
ALTER TABLE bottleneck_labels ALTER COLUMN said_at DROP DEFAULT;
ALTER TABLE cluster_classes ALTER COLUMN said_at DROP DEFAULT;
