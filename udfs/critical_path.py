"""The critical path of task programs: from the last end back over what each task waited for last.

A task begins when the last of what it needs is there: its inputs, its worker, its submission. The
path goes on with what came last. Where the trace does not tell that nothing else was needed, it
goes on with the task that ended last on any worker.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from udfs.arrays import Flags, Integers
from udfs.arrow import Column, contiguous, is_known, numbers, returned
from udfs.earliest import Program

_WALKED = returned("walk_critical_path")
_UNKNOWN = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class _Tasks:
    """The n tasks of a run, by worker and start; `_UNKNOWN` is a time that is not known.

    `earlier` is the place of the task that occupied the worker last, `maker` that of the task that
    made the input which was there last; -1: none is known. `idle_from` is when the wait before the
    task began.
    """

    number: Integers
    start: Integers
    end: Integers
    asked: Integers
    idle_from: Integers
    is_recorded: Flags
    earlier: Integers
    maker: Integers
    made: Integers
    sent: Integers
    there: Integers

    def walk(self, at: int) -> Iterator[dict[str, int | bool | None]]:
        """Yield what the path has before each of its tasks, from the one at place `at` on."""
        ends, last_at = self._ends()
        awaits, submits = self._met()
        met_at = np.where(awaits, self.there, np.where(submits, self.asked, self.idle_from))
        met_at = np.where(met_at == _UNKNOWN, self.start, met_at)
        while at >= 0:
            found: dict[str, int | bool | None] = {"n": int(self.number[at])}
            before, leaves = int(self.earlier[at]), int(self.idle_from[at])
            leaves = int(self.start[at]) if leaves == _UNKNOWN else leaves
            gap_from, jumps, is_assumed = int(met_at[at]), False, False
            last = bisect_right(ends, int(self.start[at])) - 1
            if not self.is_recorded[at] and last >= 0 and ends[last] > gap_from:
                jumps = is_assumed = int(last_at[last]) != before
            if jumps:
                before, leaves, gap_from = int(last_at[last]), ends[last], ends[last]
            elif awaits[at]:
                found |= {"sent": int(self.sent[at]), "there": int(self.there[at])}
                if self.maker[at] >= 0:
                    before, leaves = int(self.maker[at]), int(self.made[at])
                    found["since"] = leaves
                else:
                    found["made"] = int(self.made[at])
                    found["since"] = max(int(self.made[at]), int(self.idle_from[at]))
            elif submits[at]:
                found["asked"] = asked = int(self.asked[at])
                asking = bisect_right(ends, asked) - 1
                if asking >= 0:
                    before, leaves, is_assumed = int(last_at[asking]), ends[asking], True
            yield found | {
                "leaves": leaves,
                "gap_from": gap_from,
                "jumps": jumps,
                "is_assumed": is_assumed,
                "is_recorded": bool(self.is_recorded[at]),
            }
            at = before

    def _met(self) -> tuple[Flags, Flags]:
        """Return which tasks met an input last, and which their submission."""
        waited = self.idle_from != _UNKNOWN
        awaits = waited & (self.there > self.idle_from) & (self.there >= self.asked)
        return awaits, waited & ~awaits & (self.asked > self.idle_from)

    def _ends(self) -> tuple[list[int], Integers]:
        """Return the ends of tasks in order, each once, and the last place that has it."""
        some = np.flatnonzero(self.start < self.end)
        order = some[np.lexsort((some, self.end[some]))]
        ends = self.end[order]
        last = np.append(ends[1:] != ends[:-1], True)[: len(ends)]
        return ends[last].tolist(), order[last]


def walk_critical_path(
    tasks: pa.ListArray, inputs: pa.ListArray, last: Column, begin: Column, workers: Column
) -> pa.StructArray:
    """Walk the critical paths of runs; find how soon they could end.

    Args:
        tasks: r lists of structs: n, a number of its own; worker, a number; t_start, t_end,
            t_submit, ns; idle_from, when the wait before it began (NULL: there was none);
            is_recorded, 1 if the trace tells what it waited for, else 0; wait, latency and overhead
            of it after the submission, ns; task, its name.
        inputs: r lists of structs: reader, the number of a task; producer, that of the one that
            made it; t_made; t_sent and t_there, when it was sent to the reader and there (NULL: it
            was not sent), ns; data, its name.
        last: r BIGINT, the number of the task that ended last.
        begin: r BIGINT, when the first worker's window begins, ns.
        workers: r BIGINT, the number of workers.

    Returns:
        r structs: path, a list of structs, one for each task on the path, from the last: n; leaves,
        when the path leaves the wait before it for the task that follows; gap_from, since when all
        that is known to be needed was there; jumps and is_assumed, whether what follows is a task
        of which only its end is known; is_recorded; asked, where its submission was met last; sent,
        there and since (from when on the path waits), where an input was, and made, where nobody is
        known to have made that; chain_end, when the run ends at the earliest without waits on any
        number of workers, and placed_end and least_end, with those waits on the same workers and on
        one more, ns; has_chains, whether three tasks need each other in turn.
    """
    out = []
    columns = (contiguous(column).to_pylist() for column in (last, begin, workers))
    for i, (number, since, several) in enumerate(zip(*columns, strict=True)):
        rows, edges = contiguous(tasks)[i].values, contiguous(inputs)[i].values
        found = _tasks(rows, edges)
        program = _program(found, rows, edges)
        placed, least = program.ends_on(several, several + 1)
        out.append(
            {
                "path": list(found.walk(int(np.flatnonzero(found.number == number)[0]))),
                "chain_end": program.chain_end(since),
                "placed_end": placed,
                "least_end": least,
                "has_chains": bool(np.diff(program.first)[program.producer].any()),
            }
        )
    return pa.array(out, _WALKED)


def _program(tasks: _Tasks, rows: pa.StructArray, inputs: pa.StructArray) -> Program:
    """Return the tasks by start, with their inputs."""
    order = np.lexsort((tasks.number, tasks.start))
    start, end = tasks.start[order], tasks.end[order]
    free = np.where(tasks.earlier < 0, tasks.start, tasks.end[tasks.earlier])[order]
    number = tasks.number[order]
    by_number = np.argsort(number)

    def place(numbers: Integers) -> Integers:
        return by_number[np.searchsorted(number, numbers, sorter=by_number)]

    of, maker = place(_times(inputs.field("reader"))), _times(inputs.field("producer"))
    made, unknown = np.minimum(_times(inputs.field("t_made")), start[of]), maker == _UNKNOWN
    maker = place(np.where(unknown, number[0], maker))
    # of what began later than its reader, only when it was made is known
    is_edge = ~unknown & (start[maker] < start[of])
    release = tasks.asked[order]
    np.maximum.at(release, of[~is_edge], made[~is_edge])
    by_reader = np.flatnonzero(is_edge)[np.argsort(of[is_edge], kind="stable")]
    of, maker = of[by_reader], maker[by_reader]
    wait = numbers(rows.field("wait"))[np.argsort(numbers(rows.field("n")))]
    return Program(
        start=start,
        length=end - start,
        wait=wait[np.argsort(by_number)],
        occupied=np.maximum(0, end - np.maximum(start, free)),
        release=release,
        first=np.searchsorted(of, np.arange(len(start) + 1)),
        producer=maker,
        delay=np.maximum(0, made[by_reader] - start[maker]),
    )


def _tasks(rows: pa.StructArray, inputs: pa.StructArray) -> _Tasks:
    """Return tasks by worker and start, with the input of each that was there last."""
    names = ("n", "worker", "t_start", "t_end", "t_submit", "idle_from")
    n, worker, start, end, asked, idle_from = (_times(rows.field(name)) for name in names)
    by_name = _by_name(rows.field("task"), np.arange(len(n)), start, worker)
    order = np.lexsort((by_name, start, worker))
    n, worker, start, end = n[order], worker[order], start[order], end[order]
    asked, idle_from = np.minimum(asked[order], start), idle_from[order]
    is_recorded = rows.field("is_recorded").to_numpy()[order] > 0
    maker, made, sent, there = _last_inputs(n, inputs)
    maker[(maker >= 0) & (start[maker] >= start)] = -1
    made, sent, there = (np.minimum(times, start) for times in (made, sent, there))
    earlier = _earlier(worker, end)
    return _Tasks(n, start, end, asked, idle_from, is_recorded, earlier, maker, made, sent, there)


def _times(column: pa.Array) -> Integers:
    """Return whole numbers, `_UNKNOWN` where one is NULL, without Arrow's own functions."""
    values = np.frombuffer(column.buffers()[1], np.int64)
    return np.where(is_known(column), values[column.offset :][: len(column)], _UNKNOWN)


def _earlier(worker: Integers, end: Integers) -> Integers:
    """Return by task the place of the one before it on its worker that ended last, or -1."""
    place = np.arange(len(end))
    # Ranks: times of many workers one after another exceed 64 bits.
    rank = np.unique(end, return_inverse=True)[1] + worker.searchsorted(worker) * (len(end) + 1)
    before = np.maximum.accumulate(rank)
    is_later = np.append(True, rank[1:] > before[:-1])[: len(end)]
    latest = np.maximum.accumulate(np.where(is_later, place, 0))
    earlier = np.append(-1, latest[:-1])[: len(end)]
    earlier[_firsts(worker)] = -1
    return earlier


def _by_name(names: pa.Array, places: Integers, *keys: Integers) -> Integers:
    """Return ranks by name of the values at some places, 0 for those alone with their keys."""
    rank = np.zeros(len(places), np.int64)
    order = np.lexsort(keys)
    first = np.logical_or.reduce([_firsts(key[order]) for key in keys])
    tied = order[~(first & np.append(first[1:], True))]
    found = [names[place].as_py().encode() for place in places[tied].tolist()]
    rank[tied[sorted(range(len(found)), key=found.__getitem__)]] = np.arange(len(found))
    return rank


def _firsts(sorted_values: Integers) -> Flags:
    """Return which of n values differ from the one before."""
    return np.append(True, sorted_values[1:] != sorted_values[:-1])[: len(sorted_values)]


def _last_inputs(
    n: Integers, inputs: pa.StructArray
) -> tuple[Integers, Integers, Integers, Integers]:
    """Return by task the maker's place, or -1, and times of the input that was there last."""
    found = [np.full(len(n), value) for value in (-1, _UNKNOWN, _UNKNOWN, _UNKNOWN)]
    if not len(inputs):
        return found[0], found[1], found[2], found[3]
    order = np.argsort(n)
    names = ("reader", "producer", "t_made", "t_sent", "t_there")
    reader, producer, made, sent, there = (_times(inputs.field(name)) for name in names)
    there = np.maximum(made, there)
    sent = np.maximum(made, np.minimum(sent, there))
    by = np.argsort(reader, kind="stable")
    for key in (there, made):
        first = _firsts(reader[by])
        most = np.maximum.reduceat(key[by], np.flatnonzero(first))
        by = by[key[by] == most[np.cumsum(first) - 1]]
    by_name = _by_name(inputs.field("data"), by, reader[by])
    by = by[np.lexsort((by_name, reader[by]))]
    by = by[np.append(_firsts(reader[by])[1:], True)]
    of = order[np.searchsorted(n, reader[by], sorter=order)]
    known = producer[by] != _UNKNOWN
    found[0][of[known]] = order[np.searchsorted(n, producer[by][known], sorter=order)]
    for column, times in zip(found[1:], (made, sent, there), strict=True):
        column[of] = times[by]
    return found[0], found[1], found[2], found[3]
