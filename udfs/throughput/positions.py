"""The instructions of a batch at each position, as index arrays for the simulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Integers
from udfs.throughput.batch import Batch
from udfs.throughput.instructions import NOWHERE, REGISTERS, SINK
from udfs.throughput.x86_core import NAMES, Core

# Ports considered for an operation; units with fewer have theirs repeated.
CANDIDATES = 4
_ALL = NAMES.index("all")
_STORE = NAMES.index("store")


def candidates(core: Core) -> Integers:
    """Return the ports considered for each unit (units x CANDIDATES)."""
    table = np.zeros((len(core.ports), CANDIDATES), np.int64)
    for row, ports in enumerate(core.ports.values()):
        if ports:
            table[row] = [ports[k % len(ports)] for k in range(CANDIDATES)]
    return table


def demand(batch: Batch) -> NDArray[np.float32]:
    """Return the demand of a pass for each port by units with fewer than four (blocks x ports)."""
    ports_of = candidates(batch.core)
    choice = np.array([len(ports) or CANDIDATES for ports in batch.core.ports.values()])
    unit = batch.unit[: batch.timed]
    narrow = np.where(choice[unit] < CANDIDATES, batch.uops[: batch.timed], 0)
    out = np.zeros((len(narrow), batch.core.port_count), np.float32)
    for one in np.unique(unit[narrow > 0]):
        uops = np.where(unit == one, narrow, 0).sum(axis=1)
        ports = np.unique(ports_of[one])
        out[:, ports] += (uops / len(ports))[:, None]
    return out


class Position:
    """One position of the blocks of a batch: the operations there, as flat indices."""

    def __init__(self, batch: Batch, j: int, wide: int) -> None:
        rows = np.arange(len(batch.macro)) * wide
        self.macro = batch.macro[:, j]
        self.sources = np.ascontiguousarray((rows[:, None] + batch.sources[:, j]).T)
        used = batch.sources[:, j] != NOWHERE
        self.sources = self.sources[: max(1, int(used.sum(axis=1).max()))]
        targets = batch.targets[:, j]
        real = int((targets != SINK).sum(axis=1).max())
        self.targets = [rows + targets[:, k] for k in range(real)]
        self.latency = batch.latency[:, j]
        self._loads(batch, j, rows)
        self._stores(batch, j, rows)
        self.compute = np.flatnonzero(batch.uops[:, j])
        self.unit = batch.unit[self.compute, j]
        self.busy = batch.busy[self.compute, j].astype(np.uint64)
        uops = batch.uops[self.compute, j]
        self.more = [np.flatnonzero(uops > k) for k in range(1, int(uops.max(initial=1)))]
        self.drain = np.flatnonzero(self.unit == _ALL)

    def _loads(self, batch: Batch, j: int, rows: Integers) -> None:
        self.load = np.flatnonzero(batch.loads[:, j])
        self.load_address = (rows[self.load, None] + batch.address[self.load, j]).T.copy()
        self.load_latency = batch.load_latency[self.load, j]
        self.timed_load = self.load[self.load < batch.timed]
        self.load_unit = batch.load_unit[self.timed_load, j]
        count = batch.loads[self.timed_load, j]
        self.more_loads = [np.flatnonzero(count > k) for k in range(1, int(count.max(initial=1)))]
        slot = batch.from_slot[self.load, j]
        self.fed = np.flatnonzero(slot)
        fed = self.load[self.fed]
        self.fed_slot = rows[fed] + REGISTERS - 1 + slot[self.fed]
        self.fed_latency = batch.forward[fed, j]
        self.failed = np.flatnonzero(self.fed_latency == batch.core.cost("forward failed").latency)
        # A renamed value does not wait for the address.
        self.renamed = self.fed_latency == 0

    def _stores(self, batch: Batch, j: int, rows: Integers) -> None:
        self.store = np.flatnonzero(batch.stores[: batch.timed, j])
        self.store_address = (rows[self.store, None] + batch.address[self.store, j]).T.copy()
        self.store_unit = np.full(len(self.store), _STORE)
        self.vector_store = self.store[batch.store_unit[self.store, j] != _STORE]
        self.vector_unit = batch.store_unit[self.vector_store, j]
        slot = batch.to_slot[:, j]
        self.kept = np.flatnonzero(slot)
        self.kept_slot = rows[self.kept] + REGISTERS - 1 + slot[self.kept]
