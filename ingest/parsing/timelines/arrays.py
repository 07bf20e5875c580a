"""Arrays sorted by a group and a time within it: places and running values."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def places(
    groups: Integers,
    times: Integers,
    group: Integers,
    time: Integers,
    side: Literal["left", "right"],
) -> Integers:
    """Return where pairs of group and time go among sorted pairs, as np.searchsorted does."""
    every, ranks = np.unique(np.concatenate((times, time)), return_inverse=True)
    known, sought = ranks[: len(times)], ranks[len(times) :]
    return np.searchsorted(groups * len(every) + known, group * len(every) + sought, side=side)


def running_most(group: Integers, values: Integers) -> Integers:
    """Return the largest value so far within each group; the rows of a group are together."""
    every, ranks = np.unique(values, return_inverse=True)
    ordinal = np.cumsum(group[1:] != group[:-1], dtype=np.int64)
    floor = np.concatenate(([0], ordinal))[: len(group)] * len(every)
    return every[np.maximum.accumulate(floor + ranks) - floor] if len(group) else values


def sums(values: Integers, place: Integers, count: int) -> Integers:
    """Return the exact sum of the values of each place, from 0 to count."""
    total = np.zeros(count, np.int64)
    np.add.at(total, place, values)
    return total


def groups(*keys: Integers) -> tuple[Integers, Integers]:
    """Return the first row of each combination of keys, and the combination of each row.

    Keys are numbers from 0 of things that were numbered as they were met, so that all
    combinations fit 64 bits.
    """
    joined = np.zeros(len(keys[0]), np.int64)
    for key in keys:
        joined = joined * (int(key.max(initial=0)) + 1) + key
    _, first, place = np.unique(joined, return_index=True, return_inverse=True)
    return first, place
