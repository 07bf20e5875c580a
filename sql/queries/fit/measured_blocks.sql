-- Measured blocks of machine code of a core ($core), with their instruction set and whether that is
-- assumed: of the runs whose machine has it, and of those that name no machine.
SELECT s.run_id, r.machine IS NULL AS is_assumed, s.hex, s.cycles, s.isa, s.is_assumed AS isa_assumed
FROM _code_segments AS s
JOIN runs AS r USING (run_id)
LEFT JOIN _machines AS m ON r.machine = m.machine
WHERE s.cycles > 0
    AND (r.machine IS NULL OR _has_core(m.name, m.named, $core))
ORDER BY s.run_id, s.thread, s.segment;
