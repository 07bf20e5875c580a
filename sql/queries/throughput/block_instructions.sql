-- The instructions of a block of machine code, and what each costs.
SELECT unnest(block_instructions(_plain_hex($hex), costs, of_isa), recursive := true)
FROM _cores
WHERE of_core = $core;
