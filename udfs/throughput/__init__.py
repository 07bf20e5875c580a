"""Steady-state throughput of an out-of-order core from the instruction stream alone.

Blocks of machine code: `decode` decodes them to instructions, which `analysis` (with `operands`,
`actions`, `costs` and the table of a core, `x86_core`) describes one by one; `emulation` and
`memory` find the addresses of loads and stores, `program` stores blocks as arrays (`batch`),
`simulate` (with `positions`) runs an idealised core on them, `course` collects the results;
`features` and `summary` the outputs for models and for users,
`blocks` has the functions for SQL; `families` groups similar blocks.

`estimate` makes the table of a core from measured blocks.

Blocks of AArch64, for any core with a table: `aarch64` decodes them, `core_tables` finds what
their instructions cost and bounds the ports, `recurrences` bounds the loop-carried chains,
`described` has the function for SQL.

Models: `inputs` and `traces` define their inputs, `network` and `boosting` are two models,
`algorithms` fits all that are compared, `fitting` scores them and chooses,
`predict` applies stored ones; `groups` and `effects` compute the effect of each group of features
on a prediction.
"""

# Revision of what is computed from machine code when it lands (segment_features.revision): raised
# by every change of features, bounds or tables of cores that changes stored rows.
REVISION = 10
