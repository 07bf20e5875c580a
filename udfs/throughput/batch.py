"""Blocks of machine code stored as arrays, many at once."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from udfs.arrays import Integers
from udfs.throughput.instructions import NOWHERE, RSP, SINK, X87
from udfs.throughput.x86_core import Core

# Memory locations tracked from a store to a load, in each block.
SLOTS = 8


@dataclass(frozen=True, slots=True)
class Batch:
    """Blocks of similar length, padded with instructions without effect.

    All arrays are blocks x positions (x further): `macro` macro-operations; `unit` a row of
    NAMES, `uops`, `latency`, `least_latency`, `busy`; registers of `address` (2), `sources` (4),
    `targets` (4);
    `loads`, `stores` counts; `load_unit`, `store_unit`; `load_latency`, `least_load`; `from_slot`
    memory slot from which a load gets its value (0: none), `forward` its latency, `least_forward`
    the least; `to_slot` slot that a store writes (0: none that is read), `certain` whether a load
    gets that value wherever its registers point. `length` instructions of each block.

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
    least_load: Integers
    from_slot: Integers
    forward: Integers
    least_forward: Integers
    to_slot: Integers
    certain: Integers
    length: Integers


def with_chains(batch: Batch) -> Batch:
    """Return the blocks four times: unchanged, and three times with dependences only.

    The latter do not wait for the front end and the units, which leaves the loop-carried chain. In
    the third, no value passes from a store to a load; the fourth are `least_chains`.
    """
    nothing = np.zeros_like(batch.macro)
    chains = replace(batch, macro=nothing, uops=nothing)
    parts = (batch, chains, replace(chains, from_slot=nothing), least_chains(batch))
    stacked = {
        f.name: np.concatenate([getattr(part, f.name) for part in parts])
        for f in fields(Batch)
        if f.name not in ("core", "timed")
    }
    return Batch(core=batch.core, timed=len(batch.macro), **stacked)


def least_chains(batch: Batch) -> Batch:
    """Return blocks with dependences only, which leaves a bound.

    Latencies are the least that were measured, and dependences those that are certain.
    """
    nothing, sources = np.zeros_like(batch.macro), batch.sources.copy()
    # The stack engine makes up for most updates of rsp.
    updates = (batch.targets[..., :2] == (RSP, SINK)).all(axis=2)
    updates &= (sources[..., :2] == (RSP, NOWHERE)).all(axis=2)
    # The stack of x87 moves, so that its registers are not known.
    sources[(sources >= X87) & (sources < NOWHERE)] = NOWHERE
    return replace(
        batch,
        timed=0,
        macro=nothing,
        uops=nothing,
        latency=np.where(updates, 0, batch.least_latency),
        sources=sources,
        from_slot=batch.from_slot * batch.certain,
        forward=batch.least_forward,
        load_latency=batch.least_load,
    )
