-- Features and bounds, kept for models.
INSERT INTO segment_features BY NAME
SELECT
    run_id, source_id, thread, segment, cycles, code.instructions,
    code.width_bound, code.critical_path_bound, code.unit_bound, features, flags
FROM _segment_code
ORDER BY place;
