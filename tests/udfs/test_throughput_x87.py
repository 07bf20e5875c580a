"""The stack of x87 in blocks that are repeated: pushes on a full one, operands that are empty."""

from __future__ import annotations

import pytest

from udfs.throughput.decode import Decoder
from udfs.throughput.x87 import stack_faults

FLD, FSTP, FSTP_0, FCHS, FLD1, FADDP = (
    *("db2c24", "db3c24", "ddd8"),
    *("d9e0", "d9e8", "dec1"),
)


@pytest.mark.parametrize(
    ("code", "faults"),
    [
        ("4801c0", 0),
        (FLD, 1),
        (FLD + FSTP, 0),
        (FSTP_0 + FLD, 0),
        (FCHS + FLD1, 1),
        (FLD * 2 + FADDP + FSTP, 0),
        # what was pushed last is popped by the first of the next pass
        (FSTP + FLD, 0),
        (FSTP_0 * 2, 2),
        (FLD * 2, 2),
    ],
)
def test_instructions_that_find_the_stack_full_or_empty(code, faults):
    decoder = Decoder()
    block = [decoder.instructions[row] for row in decoder.block(bytes.fromhex(code)) or []]
    assert stack_faults(block) == faults
