-- Calls that copy from or to pageable memory move the bytes through a buffer: that is copying, not launching.

ALTER TABLE gpu_gaps ADD COLUMN staging_ns BIGINT;
COMMENT ON COLUMN gpu_gaps.staging_ns IS 'Of call_ns: of a call that copies from or to pageable memory, which moves the bytes by itself.';
ALTER TABLE _gpu_sums ADD COLUMN staging BIGINT;
COMMENT ON COLUMN _gpu_sums.staging IS 'Of the idle time call: of calls that copy from or to pageable memory, ns.';
