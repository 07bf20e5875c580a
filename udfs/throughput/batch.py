"""Blocks of machine code stored as arrays, many at once."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

# Memory locations tracked from a store to a load, in each block.
SLOTS = 8


@dataclass(frozen=True, slots=True)
class Batch:
    """Blocks of similar length, padded with instructions without effect.

    All arrays are blocks x positions (x further): `macro` macro-operations; `unit` a row of
    zen3.UNITS, `uops`, `latency`, `busy`; `address` (2), `sources` (4), `targets` (4) registers;
    `loads`, `stores` counts; `load_unit`, `store_unit`; `load_latency`; `from_slot` memory slot
    from which a load gets its value (0: none), `forward` its latency; `to_slot` slot that a store
    writes (0: none that is read). `length` instructions of each block.

    Blocks from `timed` on do not wait for units, and their stores do not wait at all.
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
    """Return the blocks three times: unchanged, with dependences only, and without memory's.

    The second and third kind do not wait for the front end and the units, which leaves the
    loop-carried chain. In the third, no value passes from a store to a load.
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
