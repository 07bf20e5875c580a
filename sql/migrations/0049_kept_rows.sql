-- What a run consists of is known without reading it: how many rows each landing table has of it.

ALTER TABLE kept_runs ADD COLUMN rows MAP(VARCHAR, BIGINT);
COMMENT ON COLUMN kept_runs.rows IS 'Number of its rows by landing table; those without any are left out.';
