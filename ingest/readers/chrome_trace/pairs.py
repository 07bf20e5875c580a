"""Begins and ends of slices, paired."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ingest.parsing.timelines.slices import Integers

Flags = npt.NDArray[np.bool_]


def paired(group: Integers, time: Integers, begins: Integers) -> tuple[Integers, Integers]:
    """Return the rows that begin slices and, for each, the row that ends it.

    Within a group an end belongs to the last begin that is open; rows of one time are in their
    order. Begins and ends without a partner are left out.
    """
    order = np.lexsort((time, group))
    order = order[~_is_unopened(group[order], begins[order] > 0)]
    starts = begins[order] > 0
    height = np.cumsum(np.where(starts, 1, -1))
    # Of the begins that are never ended some are still open when the next group starts: heights
    # count from the bottom of each group.
    first = np.concatenate(([True], group[order][1:] != group[order][:-1]))[: len(order)]
    ordinal = np.cumsum(first) - 1
    bottom = (height - np.where(starts, 1, -1))[first]
    level = height - bottom[ordinal] + ~starts
    by_level = np.lexsort((np.arange(len(order)), level, ordinal))
    starts, level, ordinal = starts[by_level], level[by_level], ordinal[by_level]
    ends = starts[:-1] & ~starts[1:] & (level[1:] == level[:-1]) & (ordinal[1:] == ordinal[:-1])
    at = np.flatnonzero(ends)
    return order[by_level[at]], order[by_level[at + 1]]


def by_name(thread: Integers, name: Integers, begins: Integers, nameless: Integers) -> Integers:
    """Return the groups in which marks are paired: threads, or threads and names.

    An end may state what it ends; then it ends nothing else. On threads where an end has no name
    (is one of `nameless`), or no name of a begin, ends belong to whatever began last.
    """
    if not len(thread):
        return thread
    threads = int(thread.max()) + 1
    both = thread * (int(name.max()) + 1) + name
    is_end = begins == 0
    is_nameless = np.isin(name, nameless)
    knows = np.isin(np.arange(threads), thread[is_end & np.isin(both, both[~is_end])])
    lacks = np.isin(np.arange(threads), thread[is_end & is_nameless])
    return np.where((knows & ~lacks)[thread], threads + both, thread)


def _is_unopened(group: Integers, begins: Flags) -> Flags:
    """Return which rows end what has not begun; rows are by group and time."""
    if not len(group):
        return begins
    height = np.cumsum(np.where(begins, 1, -1))
    first = np.concatenate(([True], group[1:] != group[:-1]))
    ordinal = np.cumsum(first) - 1
    height = height - (height - np.where(begins, 1, -1))[first][ordinal]
    # Each group is moved below all before it, so that the running least starts anew.
    below = ordinal * (2 * len(group) + 1)
    least = np.minimum.accumulate(np.minimum(height, 0) - below) + below
    before = np.concatenate(([0], least[:-1]))
    before[first] = 0
    unopened: Flags = ~begins & (least < before)
    return unopened
