"""Steady-state throughput of an out-of-order core from the instruction stream alone.

Blocks of machine code: `decode` takes them apart into instructions, which `analysis` (with
`operands`, `actions`, `costs` and the table `zen3`) describes one by one; `emulation` and `memory`
say how loads and stores lie, `program` lays blocks out as arrays (`batch`), `simulate` (with
`positions`) runs an idealised core on them, `course` gathers what comes of it; `chains` and
`bounds` are the analytic limits, `features` and `summary` what models and people read, `blocks`
the functions for SQL; `boosting` are the trees that predict, `training` scores and fits them.
"""
