-- Write the regions of the files from $first to $last without what differs from process to process.
UPDATE pmu_samples
SET region = _stable_path(region)
WHERE source_id BETWEEN $first AND $last AND _is_unstable(region);
