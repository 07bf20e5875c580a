-- The instructions of a block of x86-64 machine code, and what each costs.
SELECT unnest(block_instructions(_plain_hex($hex), (SELECT costs FROM _cores WHERE of_core = $core)), recursive := true);
