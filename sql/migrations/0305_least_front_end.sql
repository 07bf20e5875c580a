-- What the bound by width counts of an instruction: less than its cost where measured blocks are faster.

ALTER TABLE instruction_costs ADD COLUMN least_front_end INTEGER;

COMMENT ON COLUMN instruction_costs.least_front_end IS 'Macro-operations beyond the first that it was measured to take at least, for bounds (x86-64); NULL where all of its cost.';
