-- Stored: each of the newest versions against the one before it.

ALTER TABLE version_comparisons ADD COLUMN pair_id BIGINT;
COMMENT ON TABLE version_comparisons IS 'One row is one metric of one configuration, of one of the newest 50 versions of an application against the one before it (app_versions): what comparison(against, runs) returns, stored. pwh compare, gate and the page Compare read it for these.';
COMMENT ON COLUMN version_comparisons.pair_id IS 'The two versions, the same number for life.';
COMMENT ON COLUMN version_comparisons.machine IS 'Machine of the version; of several one of them.';
COMMENT ON COLUMN version_comparisons.version IS 'The later version.';
COMMENT ON COLUMN version_comparisons."after" IS 'The same of the later version.';
COMMENT ON COLUMN version_comparisons.runs IS 'The runs of the later version (runs.run_id).';
