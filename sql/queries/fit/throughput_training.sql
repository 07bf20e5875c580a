-- Measured segments of one form ($form) and core ($core; NULL: all), and why others are left out of training.
SELECT
    i.features, i.cycles, i.instructions, i.width,
    [i.width_cycles, i.critical_path_cycles, i.unit_cycles, i.serialising_cycles] AS bounds,
    coalesce(r.app, i.run_id) AS program,
    r.machine, i.hex,
    CASE
        WHEN NOT i.is_described AND i.form = 'code' AND i.instructions IS NULL THEN 'undecodable'
        WHEN NOT i.is_described THEN 'no features'
        WHEN i.cycles IS NULL THEN 'not measured'
        WHEN coalesce(i.instructions, 0) = 0 THEN 'empty'
        -- the width of a core that was estimated from the same blocks is one of its bounds, which
        -- are learned
        WHEN $core IS NULL AND i.cycles < i.fewest THEN 'faster than the core is wide'
        WHEN i.cycles < i.shortest THEN 'short'
    END AS kept_out
FROM segment_inputs AS i
JOIN runs AS r USING (run_id)
WHERE i.form = $form AND ($core IS NULL OR i.core = $core)
ORDER BY i.run_id, i.thread, i.segment;
