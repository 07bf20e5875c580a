-- Write the regions of some files, of which {rows} is the condition, without what differs from
-- process to process.
UPDATE pmu_samples
SET region = _stable_path(region)
WHERE {rows} AND region IS NOT NULL AND _is_unstable(region);
