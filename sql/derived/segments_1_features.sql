-- Features and bounds, kept for models.
INSERT INTO segment_features BY NAME
SELECT
    run_id, source_id, thread, segment, cycles, code.instructions,
    core, code.width_cycles, code.critical_path_cycles, code.unit_cycles, code.aliased_cycles, code.serial_cycles,
    features, flags,
    $revision AS revision
FROM _segment_code
ORDER BY place;
