-- Measured blocks of x86-64 machine code of a core ($core): of the runs whose machine has it, and of
-- those that name no machine.
SELECT s.run_id, r.machine IS NULL AS is_assumed, s.hex, s.cycles
FROM _code_segments AS s
JOIN runs AS r USING (run_id)
LEFT JOIN _machines AS m ON r.machine = m.machine
WHERE s.isa = 'x86-64' AND s.cycles > 0
    AND (r.machine IS NULL OR _has_core(m.name, m.named, $core))
ORDER BY s.run_id, s.thread, s.segment;
