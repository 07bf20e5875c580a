"""Blocks of machine code laid out as arrays, many at once."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

# Places of memory that are followed from a store to a load, in each block.
SLOTS = 8


@dataclass(frozen=True, slots=True)
class Batch:
    """Blocks of like length, padded with instructions that do nothing.

    All arrays are blocks x positions (x further): `macro` macro-operations; `unit` a row of
    zen3.UNITS, `uops`, `latency`, `busy`; `address` (2), `sources` (4), `targets` (4) registers;
    `loads`, `stores` counts; `load_unit`, `store_unit`; `load_latency`; `from_slot` memory slot
    that a load gets its value from (0: none), `forward` its latency; `to_slot` slot that a store
    fills (0: none that is read). `length` instructions of each block.

    Blocks from `timed` on are not held up by units, their stores by nothing.
    """

    timed: int
    macro: Integers
    unit: Integers
    uops: Integers
    latency: Integers
    busy: Integers
    address: Integers
    sources: Integers
    targets: Integers
    loads: Integers
    stores: Integers
    load_unit: Integers
    store_unit: Integers
    load_latency: Integers
    from_slot: Integers
    forward: Integers
    to_slot: Integers
    length: Integers


def with_chains(batch: Batch) -> Batch:
    """Give the blocks three times: as they are, by dependences alone, and without memory's.

    The second and third kind pass the front end and the units at once: what is left is the
    loop-carried chain. In the third, nothing goes from a store to a load.
    """
    n = len(batch.macro)
    stacked = {
        f.name: np.concatenate([getattr(batch, f.name)] * 3)
        for f in fields(Batch)
        if f.name != "timed"
    }
    stacked["macro"][n:] = 0
    stacked["uops"][n:] = 0
    stacked["from_slot"][2 * n :] = 0
    return Batch(timed=n, **stacked)
