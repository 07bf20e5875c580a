"""Steady-state throughput of an out-of-order core from the instruction stream alone.

Blocks of machine code: `decode` takes them apart into instructions, which `analysis` (with
`operands`, `actions`, `costs` and the table `zen3`) describes one by one; `emulation` and `memory`
say how loads and stores lie, `program` lays blocks out as arrays (`batch`), `simulate` (with
`positions`) runs an idealised core on them, `course` gathers what comes of it; `chains` and
`bounds` are the analytic limits, `features` and `summary` what models and people read, `blocks`
the functions for SQL; `families` says which resemble each other.

Models: `inputs` and `traces` say what they take, `network` and `boosting` are two, `algorithms`
fits all that are compared, `fitting` (with `reduction`) scores them and chooses, `predict` applies
what is stored; `groups` and `effects` say what each group of features adds to a prediction.
"""
