-- Measured segments of one form ($form), and why others are left out of training.
SELECT
    i.features, i.cycles, i.instructions, i.width,
    [i.width_bound, i.critical_path_bound, i.unit_bound, i.serialising_bound] AS bounds,
    coalesce(r.app, i.run_id) AS program,
    r.machine, s.hex,
    CASE
        WHEN NOT i.is_described AND i.form = 'code' THEN 'undecodable'
        WHEN NOT i.is_described THEN 'no features'
        WHEN i.cycles IS NULL THEN 'not measured'
        WHEN coalesce(i.instructions, 0) = 0 THEN 'empty'
        WHEN i.cycles < i.fewest THEN 'faster than the core is wide'
        WHEN i.cycles < i.shortest THEN 'short'
    END AS kept_out
FROM segment_inputs AS i
JOIN runs AS r USING (run_id)
LEFT JOIN segments AS s
    ON i.form = 'code' AND i.run_id = s.run_id AND i.source_id = s.source_id
    AND i.segment = s.segment AND i.thread IS NOT DISTINCT FROM s.thread
WHERE i.form = $form
ORDER BY i.run_id, i.thread, i.segment;
