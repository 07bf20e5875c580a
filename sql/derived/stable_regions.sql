-- Write the regions of the file $source_id without what differs from process to process.
UPDATE pmu_samples
SET region = _stable_path(region)
WHERE source_id = $source_id AND _is_unstable(region);
