"""Functions' times as lists, divided into groups that are fitted together.

Functions with the same basis and equally many counts are one group. A single count far off the
line between its neighbours is left out as an outlier.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Flags, Floats
from udfs.flags import Flag, flag
from udfs.scaling.bases import KINDS, OTHER, Basis, Index

_MIN_COUNTS = 3  # counts that a law needs
_FEW = 5  # counts below which a series is flagged
_FAR = np.log(8.0)
_OUTLIER_TIMES = 5.0  # as far off as any other count
_CHUNK = 2048  # functions at once, for memory


@dataclass(slots=True)
class Series:
    """n functions: kind, counts (ascending) and times in s of each, and flags for users.

    `x` and `y` are the lists of all functions one after another, `ends` where each ends; `points`
    is the number of counts used of each.
    """

    kinds: list[str]
    x: Floats
    y: Floats
    ends: Index
    flags: list[list[Flag]] = field(init=False)
    points: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        self.flags = [[] for _ in self.kinds]
        self.points = np.zeros(len(self.kinds), np.int32)

    def groups(self) -> Iterator[tuple[Basis, Floats, Floats, Index]]:
        """Yield basis, counts and times (n x m) and rows of functions that are fitted together.

        Functions with fewer than three usable counts are flagged and in no group.
        """
        usable = (self.y > 0) & np.isfinite(self.y) & (self.x > 0)
        for rows, places in self._equal_lengths(usable, np.zeros(len(self.kinds), np.intp)):
            self._drop_outliers(rows, places, usable)
        basis_of = {kind: KINDS.get(kind, OTHER)[0] for kind in set(self.kinds)}
        known = list(dict.fromkeys(basis_of.values()))
        number_of = {kind: known.index(basis) for kind, basis in basis_of.items()}
        numbers = np.array([number_of[kind] for kind in self.kinds])
        for rows, places in self._equal_lengths(usable, numbers):
            self.points[rows] = places.shape[1]
            if places.shape[1] < _MIN_COUNTS:
                for row in rows:
                    self.flags[row].append(flag("no_model_few_counts", counts=f"{places.shape[1]}"))
                continue
            few = flag("few_counts", counts=f"{places.shape[1]}")
            for row in rows if places.shape[1] < _FEW else ():
                self.flags[row].append(few)
            together = np.concatenate(equal_counts(self.x[places]))
            for part in np.array_split(together, -(-len(rows) // _CHUNK)):
                some = places[part]
                yield known[numbers[rows[0]]], self.x[some], self.y[some], rows[part]

    def _equal_lengths(self, usable: Flags, numbers: Index) -> Iterator[tuple[Index, Index]]:
        """Yield rows with the same number and equally many usable counts, and their places."""
        before = np.concatenate([[0], np.cumsum(usable)])
        begins = before[np.concatenate([[0], self.ends[:-1]])][: len(self.kinds)]
        lengths = before[self.ends] - begins
        places = np.flatnonzero(usable)
        keys = numbers * (len(usable) + 1) + lengths
        for key in np.unique(keys):
            rows = np.flatnonzero(keys == key)
            yield rows, places[begins[rows][:, None] + np.arange(lengths[rows[0]])]

    def _drop_outliers(self, rows: Index, places: Index, usable: Flags) -> None:
        """Leave out a count that is an outlier.

        An outlier is a factor of eight off the line through its neighbours (in logarithms; the
        first count, off the line through the next two), while without it no other inner count is
        off a fifth as far. The last count is never one: a trend may begin there.
        """
        if places.shape[1] < _FEW:
            return
        log_x, log_y = np.log(self.x[places]), np.log(self.y[places])
        found = np.zeros(len(rows), bool)
        for place in range(places.shape[1] - 1):
            off = np.abs(_off_line(log_x, log_y, place))
            far = np.flatnonzero((off > _FAR) & ~found)
            if len(far) == 0:
                continue
            others, times = (np.delete(one[far], place, axis=1) for one in (log_x, log_y))
            left = [np.abs(_off_line(others, times, i)) for i in range(1, others.shape[1] - 1)]
            for row in far[off[far] > _OUTLIER_TIMES * np.max(left, axis=0)]:
                found[row] = True
                usable[places[row, place]] = False
                count = f"{self.x[places[row, place]]:g}"
                self.flags[rows[row]].append(flag("outlier", count=count))


def _off_line(log_x: Floats, log_y: Floats, place: int) -> Floats:
    """Return the distance of a count from the line through its neighbours, in logarithms."""
    one, other = (place - 1, place + 1) if place else (1, 2)
    share = (log_x[:, place] - log_x[:, one]) / (log_x[:, other] - log_x[:, one])
    off: Floats = log_y[:, place] - log_y[:, one] * (1 - share) - log_y[:, other] * share
    return off


def equal_counts(x: Floats) -> list[Index]:
    """Return the rows of n x m counts in groups that have the same counts."""
    order = np.lexsort(x.T)
    differs = (x[order[1:]] != x[order[:-1]]).any(1)
    return np.split(order, np.flatnonzero(differs) + 1)
