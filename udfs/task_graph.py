"""The task graph of a run, as SQL passes it: tasks, the waits before them, and their inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from udfs.arrays import Flags, Integers
from udfs.arrow import is_known, numbers

UNKNOWN = np.iinfo(np.int64).min
# Kinds of workers that a program has no more of where it has more workers (_worker_kinds): one more
# stream is no more device.
_FIXED = ("host", "runtime", "stream", "copy")


@dataclass(frozen=True, slots=True)
class TaskGraph:
    """The n tasks of a run by their start, and their m inputs from other tasks, by reader.

    Times are ns; `UNKNOWN` is one that is not known. The wait before a task, from `idle_from` on,
    is latency before its submission (`early`), then latency (`late`), `overhead`, and what is of
    `unknown` cause; `is_recorded` is whether the trace tells the cause. `by_worker` is their order
    by worker; `before` by task in that order the place in it of the one that occupied the worker
    last (-1: none). `ready` is when inputs that no task made existed. Inputs of task i are those
    from first[i] up to first[i + 1]; each was made by `producer`, a place before that of the
    reader, at `made`. `kind` is the number of the kind of each worker, `begins` when its window
    does; one more worker is of one of the kinds `more`, if any.
    """

    number: Integers
    worker: Integers
    start: Integers
    end: Integers
    by_worker: Integers
    before: Integers
    idle_from: Integers
    is_recorded: Flags
    early: Integers
    late: Integers
    overhead: Integers
    unknown: Integers
    submit: Integers
    ready: Integers
    first: Integers
    producer: Integers
    made: Integers
    kind: Integers
    begins: Integers
    more: Integers

    @classmethod
    def read(
        cls, tasks: pa.StructArray, inputs: pa.StructArray, workers: pa.StructArray
    ) -> TaskGraph:
        """Return the graph of tasks, inputs and workers as `walk_critical_path` has them."""
        fields = ("t_start", "worker", "t_end", "n", "early", "late", "rest", "is_recorded")
        columns = [numbers(tasks.field(name)) for name in fields]
        # as idle intervals end: of those that begin at once on a worker the first by name
        ties = by_name(tasks.field("task"), np.arange(len(tasks)), *columns[:2])
        order = np.lexsort((ties, columns[0]))
        start, worker, end, number, early, late, rest, is_recorded = (
            column[order] for column in columns
        )
        by_number = np.argsort(number)

        def place(of: Integers) -> Integers:
            return by_number[np.searchsorted(number, of, sorter=by_number)]

        reader, maker = place(numbers(inputs.field("reader"))), times(inputs.field("producer"))
        made = np.minimum(numbers(inputs.field("t_made")), start[reader])
        is_made = maker != UNKNOWN
        maker = place(np.where(is_made, maker, number[0]))
        # of what began later than its reader, only when it was made is known
        is_edge = is_made & (start[maker] < start[reader])
        ready = np.full(len(start), UNKNOWN)
        np.maximum.at(ready, reader[~is_edge], made[~is_edge])
        edges = np.flatnonzero(is_edge)[np.argsort(reader[is_edge], kind="stable")]
        by_worker = np.argsort(worker, kind="stable")
        kinds = workers.field("kind").to_pylist()
        names = sorted(set(kinds))
        more = [at for at, name in enumerate(names) if name not in _FIXED]
        return cls(
            number=number,
            worker=worker,
            start=start,
            end=end,
            by_worker=by_worker,
            before=_earlier(worker[by_worker], end[by_worker]),
            idle_from=times(tasks.field("idle_from"))[order],
            is_recorded=is_recorded.astype(bool),
            early=early,
            late=late,
            overhead=np.where(is_recorded, rest, 0),
            unknown=np.where(is_recorded, 0, rest),
            submit=np.minimum(times(tasks.field("t_submit"))[order], start),
            ready=ready,
            first=np.searchsorted(reader[edges], np.arange(len(start) + 1)),
            producer=maker[edges],
            made=made[edges],
            kind=np.array([names.index(name) for name in kinds]),
            begins=numbers(workers.field("t_begin")),
            more=np.array(more, np.int64),
        )


def times(column: pa.Array) -> Integers:
    """Return whole numbers, `UNKNOWN` where one is NULL, without Arrow's own functions."""
    values = np.frombuffer(column.buffers()[1], np.int64)
    return np.where(is_known(column), values[column.offset :][: len(column)], UNKNOWN)


def _earlier(worker: Integers, end: Integers) -> Integers:
    """Return by task, sorted by worker, the place of the one before it there that ended last.

    -1: there is none.
    """
    place = np.arange(len(end))
    # Ranks: times of many workers one after another exceed 64 bits.
    rank = np.unique(end, return_inverse=True)[1] + worker.searchsorted(worker) * (len(end) + 1)
    before = np.maximum.accumulate(rank)
    is_later = np.append(True, rank[1:] > before[:-1])[: len(end)]
    latest = np.maximum.accumulate(np.where(is_later, place, 0))
    found = np.append(-1, latest[:-1])[: len(end)]
    found[firsts(worker)] = -1
    return found


def firsts(sorted_values: Integers) -> Flags:
    """Return which of n values differ from the one before."""
    return np.append(True, sorted_values[1:] != sorted_values[:-1])[: len(sorted_values)]


def by_name(names: pa.Array, places: Integers, *keys: Integers) -> Integers:
    """Return ranks by name of the values at some places, 0 for those alone with their keys."""
    rank = np.zeros(len(places), np.int64)
    order = np.lexsort(keys)
    first = np.logical_or.reduce([firsts(key[order]) for key in keys])
    tied = order[~(first & np.append(first[1:], True))]
    found = [names[place].as_py().encode() for place in places[tied].tolist()]
    rank[tied[sorted(range(len(found)), key=found.__getitem__)]] = np.arange(len(found))
    return rank
