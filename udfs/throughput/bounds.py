"""Analytic bounds of a block's cycles: the width of the core, and its execution units."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from udfs.throughput import zen3

Floats = NDArray[np.float64]


def _port_sets() -> list[frozenset[int]]:
    """Return the unions of up to three units' ports that overlap: where operations compete."""
    units = {frozenset(ports) for ports in zen3.UNITS.values() if ports}
    unions = set(units)
    for count in (2, 3):
        for some in combinations(units, count):
            union = frozenset[int]().union(*some)
            if len(union) < sum(len(ports) for ports in some):
                unions.add(union)
    return sorted(unions, key=lambda ports: (len(ports), sorted(ports)))


_SETS = _port_sets()
_WITHIN = np.array(
    [[bool(p) and s.issuperset(p) for s in _SETS] for p in zen3.UNITS.values()], np.float64
)
_SIZES = np.array([len(s) for s in _SETS], np.float64)


def unit_bound(demand: Floats) -> Floats:
    """Return the cycles that the units need for a block's operations, distributed optimally.

    For every set of ports: the operations that can run only there, over the number of ports
    (Hall's condition; the largest is the optimum of the port assignment).

    Args:
        demand: cycles of each unit of zen3.UNITS that a block needs (blocks x units).
    """
    return np.asarray((demand @ _WITHIN / _SIZES).max(axis=1), np.float64)


def width_bound(macro: Floats) -> Floats:
    """Return the cycles that macro-operations need to pass the front end."""
    return macro / zen3.DISPATCH
