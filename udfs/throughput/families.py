"""Families of blocks of machine code: groups of near-duplicates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from udfs.arrays import Integers
from udfs.throughput.decode import Decoder, decode


def families(hexes: Sequence[str]) -> Integers:
    """Return the family number of blocks (n): blocks with the same set of instruction forms.

    A form is mnemonic and kinds of operands; number and order of instructions, registers and
    constants do not matter. Undecodable blocks are one family.
    """
    decoder = Decoder()
    blocks, decoded = decode(hexes, decoder)
    known: dict[frozenset[int], int] = {frozenset(): 0}
    out = np.zeros(len(hexes), np.int64)
    for place, block in zip(np.flatnonzero(decoded), blocks, strict=True):
        forms = frozenset(decoder.instructions[row].form for row in block)
        out[place] = known.setdefault(forms, len(known))
    return out
