"""The data of a StarPU trace: versions of handles, who makes and reads them, what travels.

A datum is (handle, version): every write makes the next version. Between ranks, the handles of
one MPI tag are copies of one datum; a message brings the sender's version to the receiver.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.readers.tasks.starpu.paje import Paje
from ingest.readers.tasks.starpu.rec import LINE, read_records, refuse_first, whole_numbers
from ingest.readers.tasks.starpu.tasks import Tasks
from ingest.recording import Recording
from udfs.arrays import Flags, Integers
from warehouse.errors import InputError

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


_MODE = r"^R?W?S?X?(?:X-mpi)?C?$"
_DATA_FIELDS = ("Handle", "MPIRank", "MPIOwner", "MPITag")
_ANY_RANK = -1


@dataclass(frozen=True, slots=True)
class Flow:
    """Rows of task_data, task_inputs and transfers."""

    data: pa.Table
    inputs: pa.Table
    transfers: pa.Table


@dataclass(frozen=True, slots=True)
class _Handles:
    """Content of data.rec: rank_handle, and next to it the MPI tag and owner (NULL: none)."""

    name: pa.Array
    tag: pa.Array
    owner: pa.Array


@dataclass(frozen=True, slots=True)
class _Uses:
    """One row is one access: position of the task, number of the datum, how, and bytes."""

    task: NDArray[np.int64]
    key: NDArray[np.int64]
    reads: NDArray[np.bool_]
    writes: NDArray[np.bool_]
    size: NDArray[np.int64]


def flow(recording: Recording, part: Path | None, tasks: Tasks, paje: Paje | None) -> Flow:
    """Work out which version of which datum tasks make and read, and messages carry."""
    handles = _read_handles(recording, part)
    names, uses, home = _uses(tasks, handles)
    messages, sizes = _messages(paje, names)
    rank, start = tasks.rank.to_numpy(), tasks.start.to_numpy()
    accesses = Accesses(uses.key, rank[uses.task], start[uses.task], uses.reads, uses.writes)
    read, made, carried = versions(accesses, messages, home)
    inputs = {
        "task": tasks.job.take(pa.array(uses.task[uses.reads])),
        "data": _data(names, uses.key[uses.reads], read[uses.reads]),
    }
    transfers = {
        "data": _data(names, messages.key, carried),
        "from_node": _nodes(messages.source),
        "to_node": _nodes(messages.target),
        "t_send": pa.array(messages.sent - tasks.base),
        "t_recv": pa.array(messages.received - tasks.base),
        "bytes": pa.array(sizes),
    }
    first = np.concatenate((uses.key[uses.reads & (read == 0)], messages.key[carried == 0]))
    data = _data_table(tasks, names, uses, made, np.unique(first), home)
    return Flow(data, pa.table(inputs), pa.table(transfers))


def _data_table(
    tasks: Tasks,
    names: pa.Array,
    uses: _Uses,
    made: NDArray[np.int64],
    initial: NDArray[np.int64],
    home: NDArray[np.int64],
) -> pa.Table:
    """Return the versions that were there from the start, then those that tasks made."""
    size = np.zeros(len(names), np.int64)
    size[uses.key] = uses.size
    written = uses.writes
    key = np.concatenate((initial, uses.key[written]))
    version = np.concatenate((np.zeros(len(initial), np.int64), made[written]))
    columns = {
        "data": _data(names, key, version),
        "producer": pa.concat_arrays(
            [pa.nulls(len(initial), pa.string()), tasks.job.take(pa.array(uses.task[written]))]
        ),
        "node": pa.concat_arrays(
            [_nodes(home[initial]), pa.nulls(int(written.sum()), pa.string())]
        ),
        "bytes": pa.array(np.concatenate((size[initial], uses.size[written]))),
    }
    return pa.table(columns)


def _data(names: pa.Array, key: NDArray[np.int64], version: NDArray[np.int64]) -> pa.Array:
    return pc.binary_join_element_wise(
        names.take(pa.array(key)), pc.cast(pa.array(version), pa.string()), "@"
    )


def _nodes(rank: NDArray[np.int64]) -> pa.Array:
    """Name nodes; a run without MPI has only r0."""
    number = pc.cast(pa.array(np.maximum(rank, 0)), pa.string())
    return pc.binary_join_element_wise("r", number, "")


def _read_handles(recording: Recording, part: Path | None) -> _Handles:
    if part is None:
        return _Handles(*(pa.array([], kind) for kind in (pa.string(), pa.int64(), pa.int64())))
    table = read_records(recording, part, _DATA_FIELDS)
    # An address may have been used again after its data were gone; the later one counts.
    table = table.take(pa.array(np.arange(len(table))[::-1])).combine_chunks()
    rank = pc.fill_null(table["MPIRank"].combine_chunks(), "-1")
    handle = table["Handle"].combine_chunks()
    expected = "the handle's address"
    refuse_first(pc.is_null(handle), handle, table[LINE], "Handle", part, expected)
    tag, owner = (
        whole_numbers(table[name].combine_chunks(), table[LINE], name, part, least=-1)
        for name in ("MPITag", "MPIOwner")
    )
    tag = pc.if_else(pc.less(tag, 0), None, tag)
    return _Handles(pc.binary_join_element_wise(rank, handle, "_"), tag, owner)


def _uses(tasks: Tasks, handles: _Handles) -> tuple[pa.Array, _Uses, NDArray[np.int64]]:
    """Return the names of the data, their uses, and their home ranks."""
    task, handle, mode, size = _accesses(tasks)
    rank = pc.take(tasks.rank, pa.array(task))
    own = pc.binary_join_element_wise(pc.cast(rank, pa.string()), handle, "_")
    at = pc.index_in(own, handles.name)
    tag, owner = handles.tag.take(at), handles.owner.take(at)
    tagged = pc.binary_join_element_wise("t", pc.cast(tag, pa.string()), "")
    names = pc.if_else(pc.is_valid(tag), tagged, pc.binary_join_element_wise("h", own, ""))
    coded = names.dictionary_encode()
    key = coded.indices.to_numpy().astype(np.int64)
    home = np.full(len(coded.dictionary), _ANY_RANK, np.int64)
    home[key] = pc.if_else(pc.is_valid(tag), pc.fill_null(owner, _ANY_RANK), rank).to_numpy()
    reads, writes = (
        pc.match_substring_regex(mode, letters).to_numpy(zero_copy_only=False)
        for letters in ("R", "W|X")
    )
    # A task that names a datum twice makes one version of it.
    writing = np.flatnonzero(writes)
    _, first = np.unique(task[writing] * (len(home) + 1) + key[writing], return_index=True)
    once = np.zeros(len(task), bool)
    once[writing[first]] = True
    uses = _Uses(task, key, reads, once, size)
    return coded.dictionary, uses, home


def _accesses(
    tasks: Tasks,
) -> tuple[NDArray[np.int64], pa.Array, pa.Array, NDArray[np.int64]]:
    """Spread the lists of handles, modes and sizes to one row an access."""
    table, lines = tasks.records, tasks.records[LINE]
    lists = {
        name: pc.split_pattern(table[name].combine_chunks(), " ")
        for name in ("Handles", "Modes", "Sizes")
    }
    count = pc.fill_null(pc.list_value_length(lists["Handles"]), 0)
    for name in ("Modes", "Sizes"):
        differs = pc.not_equal(pc.fill_null(pc.list_value_length(lists[name]), 0), count)
        values, expected = table[name].combine_chunks(), "one value for each of the Handles"
        refuse_first(differs, values, lines, name, tasks.part, expected)
    task = pc.list_parent_indices(lists["Handles"]).to_numpy().astype(np.int64)
    where = lines.take(pa.array(task))
    handle, mode, size = (lists[name].flatten() for name in ("Handles", "Modes", "Sizes"))
    good = pc.match_substring_regex(mode, _MODE)
    refuse_first(pc.invert(good), mode, where, "Modes", tasks.part, "R, W, RW, S, X, with C or not")
    good = pc.match_substring_regex(handle, r"^[0-9a-fA-F]{1,16}$")
    refuse_first(pc.invert(good), handle, where, "Handles", tasks.part, "hexadecimal addresses")
    sizes = whole_numbers(size, where, "Sizes", tasks.part).to_numpy()
    used = pc.match_substring_regex(mode, "R|W|X").to_numpy(zero_copy_only=False)
    keep = pa.array(used)
    return task[used], handle.filter(keep), mode.filter(keep), sizes[used]


def _messages(paje: Paje | None, names: pa.Array) -> tuple[Messages, NDArray[np.int64]]:
    """Return the messages whose datum is known and which arrived, and their sizes in bytes."""
    if paje is None:
        none = np.zeros(0, np.int64)
        return Messages(none, none, none, none, none), none
    for ends in (paje.sends, paje.receives):
        if len(pc.unique(ends["key"])) != len(ends):
            raise InputError("a message of the trace has two starts or two ends")
    both = paje.sends.join(
        paje.receives.select(["key", "time", "container"]),
        "key",
        join_type="inner",
        right_suffix="_received",
    ).sort_by("time")
    tagged = pc.binary_join_element_wise("t", pc.cast(both["tag"], pa.string()), "")
    key = pc.index_in(tagged, names)
    known = pc.is_valid(key)
    both = both.filter(known)
    ranks = [_rank(both[name]) for name in ("container", "container_received")]
    columns = [key.filter(known), *ranks, both["time"], both["time_received"]]
    arrays = [column.to_numpy().astype(np.int64) for column in columns]
    return Messages(*arrays), both["bytes"].to_numpy()


def _rank(container: pa.ChunkedArray) -> pa.Array:
    """Return the rank in names such as `1_mpict`; a run of one rank has none."""
    rank = pc.replace_substring_regex(container, r"^(?:(\d{1,9})_)?.*$", r"\1")
    return pc.cast(pc.if_else(pc.equal(rank, ""), "0", rank), pa.int64())
