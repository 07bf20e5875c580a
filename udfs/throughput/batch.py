"""Blocks of machine code stored as arrays, many at once."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from udfs.throughput.instructions import NOWHERE, RSP, SINK, X87
from udfs.throughput.x86_core import Core

Integers = NDArray[np.int64]

# Memory locations tracked from a store to a load, in each block.
SLOTS = 8


@dataclass(frozen=True, slots=True)
class Batch:
    """Blocks of similar length, padded with instructions without effect.

    All arrays are blocks x positions (x further): `macro` macro-operations; `unit` a row of
    NAMES, `uops`, `latency`, `least_latency`, `busy`; registers of `address` (2), `sources` (4),
    `targets` (4);
    `loads`, `stores` counts; `load_unit`, `store_unit`; `load_latency`; `from_slot` memory slot
    from which a load gets its value (0: none), `forward` its latency; `to_slot` slot that a store
    writes (0: none that is read), `certain` whether a load gets that value wherever its registers
    point. `length` instructions of each block.

    Blocks from `timed` on do not wait for units, and their stores do not wait at all.
    """

    core: Core
    timed: int
    macro: Integers
    unit: Integers
    uops: Integers
    latency: Integers
    least_latency: Integers
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
    certain: Integers
    length: Integers


def with_chains(batch: Batch) -> Batch:
    """Return the blocks four times: unchanged, and three times with dependences only.

    The latter do not wait for the front end and the units, which leaves the loop-carried chain. In
    the third, no value passes from a store to a load; the fourth has the least latencies that were
    measured and only dependences that are certain, which leaves a bound.
    """
    n = len(batch.macro)
    stacked = {
        f.name: np.concatenate([getattr(batch, f.name)] * 4)
        for f in fields(Batch)
        if f.name not in ("core", "timed")
    }
    stacked["macro"][n:] = 0
    stacked["uops"][n:] = 0
    stacked["from_slot"][2 * n : 3 * n] = 0
    least = slice(3 * n, None)
    # The stack engine makes up for most updates of rsp.
    updates = (stacked["targets"][least, :, :2] == (RSP, SINK)).all(axis=2)
    updates &= (stacked["sources"][least, :, :2] == (RSP, NOWHERE)).all(axis=2)
    stacked["latency"][least] = np.where(updates, 0, stacked["least_latency"][least])
    stacked["from_slot"][least] *= stacked["certain"][least]
    # The stack of x87 moves, so that its registers are not known.
    sources = stacked["sources"][least]
    sources[(sources >= X87) & (sources < NOWHERE)] = NOWHERE
    forward = stacked["forward"][least]
    for cost in (batch.core.vector_forward, batch.core.failed_forward):
        forward[forward == cost.latency] = cost.least_latency
    return Batch(core=batch.core, timed=n, **stacked)
