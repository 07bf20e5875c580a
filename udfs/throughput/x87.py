"""The stack of x87 as a block leaves it: pushes on a full one, and operands that are empty.

Repeated, a block that pushes more than it pops (or less) does so in every pass. The core then
writes a quiet NaN, and goes on (Intel 64 and IA-32 Architectures Software Developer's Manual,
volume 1, 8.5.1.1), by microcode that takes hundreds of cycles on Intel's cores.
"""

from __future__ import annotations

from collections.abc import Sequence

from udfs.throughput.instructions import X87, Instruction

_REGISTERS = 8  # of the stack
# Passes until the stack is as it stays, and passes that are counted: it turns within eight.
_WARM, _COUNTED = 8, 16


def stack_faults(block: Sequence[Instruction]) -> float:
    """Return how many instructions of a pass find the stack full or empty, in the steady state."""
    some = [i for i in block if i.pops is not None]
    if not some:
        return 0.0
    used, top, faults = [False] * _REGISTERS, 0, 0
    for number in range(_WARM + _COUNTED):
        for i in some:
            reads = [(top + r - X87) % _REGISTERS for r in i.sources if X87 <= r < X87 + _REGISTERS]
            is_fault = not all(used[r] for r in reads)
            if (pops := i.pops or 0) < 0:
                top = (top + pops) % _REGISTERS
                is_fault |= used[top]
                used[top] = True
            else:
                for r in i.targets:
                    if X87 <= r < X87 + _REGISTERS:
                        used[(top + r - X87) % _REGISTERS] = True
                for _ in range(pops):
                    used[top] = False
                    top = (top + 1) % _REGISTERS
            faults += is_fault and number >= _WARM
    return faults / _COUNTED
