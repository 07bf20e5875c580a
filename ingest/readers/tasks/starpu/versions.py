"""Versions of StarPU's data: which write made what a task reads and a message carries.

A datum is (handle, version): every write makes the next version. Between ranks, the handles of
one MPI tag are copies of one datum; a message brings the sender's version to the receiver.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ingest.parsing.arrays import Flags, Integers

_RECEIVE, _READ, _WRITE, _SEND = range(4)
_UNKNOWN = -1
# A version passes through this many ranks at most before it is taken as it is.
_MOST_HOPS = 64


@dataclass(frozen=True, slots=True)
class Accesses:
    """One row is one access of a task to a datum; times in ns. `key` numbers the data, from 0.

    A task writes a datum once; what it reads of the same datum is what was there before.
    """

    key: Integers
    rank: Integers
    time: Integers
    reads: Flags
    writes: Flags


@dataclass(frozen=True, slots=True)
class Messages:
    """One row is one message: when datum `key` left rank `source` and came to `target`, ns."""

    key: Integers
    source: Integers
    target: Integers
    sent: Integers
    received: Integers


def versions(
    accesses: Accesses, messages: Messages, home: Integers
) -> tuple[Integers, Integers, Integers]:
    """Return the versions that accesses read, that they write, and that messages carry.

    `home` is the rank on which each key begins, _UNKNOWN where any may. Accesses of one rank are
    ordered by their time, which is right because StarPU never lets conflicting ones overlap. A
    rank that reads what never came to it (messages were not recorded) is taken to read the latest
    version that any rank had written by then.
    """
    made = _ordinals(accesses)
    latest = _latest_anywhere(accesses, made)
    key = np.concatenate((messages.key, accesses.key, messages.key))
    rank = np.concatenate((messages.target, accesses.rank, messages.source))
    time = np.concatenate((messages.received, accesses.time, messages.sent))
    count = len(messages.key)
    use = np.where(accesses.writes, _WRITE, _READ)
    kind = np.concatenate((np.full(count, _RECEIVE), use, np.full(count, _SEND)))
    order = np.lexsort((kind, time, rank, key))
    sets = np.concatenate((np.ones(count, bool), accesses.writes, np.zeros(count, bool)))
    before = _last_setter_before(order, sets, key, rank)
    value = np.concatenate((np.full(count, _UNKNOWN), made, np.zeros(count, np.int64)))
    at_home = (home[key] == _UNKNOWN) | (home[key] == rank)
    start = np.where(at_home, 0, _UNKNOWN)
    for _ in range(_MOST_HOPS):
        seen = np.where(before >= 0, value[before], start)
        carried = seen[len(seen) - count :]
        if np.array_equal(carried, value[:count]):
            break
        value[:count] = carried
    read = seen[count : len(seen) - count]
    read = np.where(read == _UNKNOWN, latest, read)
    return read, made, np.where(carried == _UNKNOWN, 0, carried)


def _ordinals(accesses: Accesses) -> Integers:
    """Number the writes of each key by time, from 1; 0 for accesses that do not write."""
    order = np.lexsort((accesses.writes, accesses.time, accesses.key))
    made = np.zeros(len(order), np.int64)
    made[order] = _running_count(accesses.writes[order], accesses.key[order])
    return np.where(accesses.writes, made, 0)


def _latest_anywhere(accesses: Accesses, made: Integers) -> Integers:
    """Return the version that was the latest of all ranks when each access began."""
    order = np.lexsort((accesses.writes, accesses.time, accesses.key))
    count = np.zeros(len(order), np.int64)
    count[order] = _running_count(accesses.writes[order], accesses.key[order])
    return count - (made > 0)


def _running_count(flags: Flags, group: Integers) -> Integers:
    """Count the flags so far within each group; the groups are together."""
    total = np.cumsum(flags, dtype=np.int64)
    if not len(group):
        return total
    first = np.append(True, group[1:] != group[:-1])
    return total - np.maximum.accumulate(np.where(first, total - flags, 0))


def _last_setter_before(order: Integers, sets: Flags, key: Integers, rank: Integers) -> Integers:
    """Return for each event the last one before it, of its key and rank, that sets a version."""
    position = np.arange(len(order))
    sorted_sets = sets[order]
    last = np.maximum.accumulate(np.where(sorted_sets, position, -1)) if len(order) else position
    last = np.concatenate(([-1], last[:-1])) if len(order) else last
    same = (key[order][last] == key[order]) & (rank[order][last] == rank[order])
    found = np.where((last >= 0) & same, order[last], -1)
    before = np.empty(len(order), np.int64)
    before[order] = found
    return before
