"""Arrays sorted by a group and a time within it: places and running values."""

from __future__ import annotations

from typing import Literal

import numpy as np

from udfs.arrays import Integers

_MOST = 1 << 62


def places(
    groups: Integers,
    times: Integers,
    group: Integers,
    time: Integers,
    side: Literal["left", "right"],
) -> Integers:
    """Return where pairs of group and time go among sorted pairs, as np.searchsorted does."""
    keys = _keys(np.concatenate((groups, group)), np.concatenate((times, time)))
    return np.searchsorted(keys[: len(times)], keys[len(times) :], side=side)


def running_most(group: Integers, values: Integers) -> Integers:
    """Return the largest value so far within each group; the rows of a group are together."""
    ordinal = np.cumsum(np.concatenate(([0], group[1:] != group[:-1])), dtype=np.int64)
    most = np.maximum.accumulate(_keys(ordinal[: len(group)], values))
    # The largest key so far is of a row of the same group, and the first that has it is one.
    first = np.concatenate(([True], most[1:] != most[:-1]))[: len(group)]
    return values[np.maximum.accumulate(np.where(first, np.arange(len(group)), 0))]


def _keys(groups: Integers, times: Integers) -> Integers:
    """Return keys that sort as pairs of group and time do."""
    least = int(times.min(initial=_MOST))
    span = int(times.max(initial=least)) - least + 1
    if span * (int(groups.max(initial=0)) + 1) < _MOST:
        return groups * span + (times - least)
    every, ranks = np.unique(times, return_inverse=True)
    return groups * len(every) + ranks


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
