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
from udfs.arrow import Column, contiguous, returned
from udfs.earliest import Program
from udfs.task_graph import UNKNOWN, TaskGraph, by_name, firsts, times

_WALKED = returned("walk_critical_path")


@dataclass(frozen=True, slots=True)
class _Tasks:
    """The n tasks of a run, by worker and start; `UNKNOWN` is a time that is not known.

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
        met_at = np.where(met_at == UNKNOWN, self.start, met_at)
        while at >= 0:
            found: dict[str, int | bool | None] = {"n": int(self.number[at])}
            before, leaves = int(self.earlier[at]), int(self.idle_from[at])
            leaves = int(self.start[at]) if leaves == UNKNOWN else leaves
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
        waited = self.idle_from != UNKNOWN
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
    tasks: pa.ListArray, inputs: pa.ListArray, workers: pa.ListArray, last: Column
) -> pa.StructArray:
    """Walk the critical paths of runs; find how soon they could end.

    Args:
        tasks: r lists of structs: n, a number of its own; worker, its place in `workers`; t_start,
            t_end, t_submit, ns; idle_from, when the wait before it began (NULL: there was none); of
            it early, the latency up to the submission, late, that after, and rest, ns, all 0
            without a wait; is_recorded, 1 if the trace tells what the rest is, else 0; task, its
            name.
        inputs: r lists of structs: reader, the number of a task; producer, that of the one that
            made it; t_made; t_sent and t_there, when it was sent to the reader and there (NULL: it
            was not sent), ns; data, its name.
        workers: r lists of structs: t_begin, when its window begins, ns; kind.
        last: r BIGINT, the number of the task that ended last.

    Returns:
        r structs: path, a list of structs, one for each task on the path, from the last: n; leaves,
        when the path leaves the wait before it for the task that follows; gap_from, since when all
        that is known to be needed was there; jumps and is_assumed, whether what follows is a task
        of which only its end is known; is_recorded; asked, where its submission was met last; sent,
        there and since (from when on the path waits), where an input was, and made, where nobody is
        known to have made that; chain_end, when the run ends at the earliest without waits on any
        number of workers, and placed_end and least_end, with those waits on the same workers and on
        one more of the kind of which it ends soonest, ns; least_end is NULL where there are only
        devices, threads of the runtime, and such that launch work for a device.
    """
    out = []
    for i, number in enumerate(contiguous(last).to_pylist()):
        rows, edges, those = (contiguous(lists)[i].values for lists in (tasks, inputs, workers))
        graph = TaskGraph.read(rows, edges, those)
        found = _tasks(graph, edges)
        program, several = Program.of(graph), np.bincount(graph.kind)
        one_more = several + np.eye(len(several), dtype=np.int64)[graph.more]
        placed, *more = program.ends_on(several, *one_more)
        out.append(
            {
                "path": list(found.walk(int(np.flatnonzero(found.number == number)[0]))),
                "chain_end": program.chain_end(int(graph.begins.min())),
                "placed_end": placed,
                "least_end": min(more, default=None),
            }
        )
    return pa.array(out, _WALKED)


def _tasks(graph: TaskGraph, inputs: pa.StructArray) -> _Tasks:
    """Return tasks by worker and start, with the input of each that was there last."""
    names = ("number", "start", "end", "submit", "idle_from", "is_recorded")
    columns = [getattr(graph, name)[graph.by_worker] for name in names]
    start = columns[1]
    maker, made, sent, there = _last_inputs(columns[0], inputs)
    maker[(maker >= 0) & (start[maker] >= start)] = -1
    moments = [np.minimum(some, start) for some in (made, sent, there)]
    return _Tasks(*[*columns, graph.before, maker, *moments])


def _last_inputs(n: Integers, inputs: pa.StructArray) -> list[Integers]:
    """Return by task the maker's place, or -1, and times of the input that was there last."""
    found = [np.full(len(n), value) for value in (-1, UNKNOWN, UNKNOWN, UNKNOWN)]
    if not len(inputs):
        return found
    order = np.argsort(n)
    columns = ("reader", "producer", "t_made", "t_sent", "t_there")
    reader, producer, made, sent, there = (times(inputs.field(name)) for name in columns)
    there = np.maximum(made, there)
    sent = np.maximum(made, np.minimum(sent, there))
    by = np.argsort(reader, kind="stable")
    for key in (there, made):
        first = firsts(reader[by])
        most = np.maximum.reduceat(key[by], np.flatnonzero(first))
        by = by[key[by] == most[np.cumsum(first) - 1]]
    names = by_name(inputs.field("data"), by, reader[by])
    by = by[np.lexsort((names, reader[by]))]
    by = by[np.append(firsts(reader[by])[1:], True)]
    of = order[np.searchsorted(n, reader[by], sorter=order)]
    known = producer[by] != UNKNOWN
    found[0][of[known]] = order[np.searchsorted(n, producer[by][known], sorter=order)]
    for column, moments in zip(found[1:], (made, sent, there), strict=True):
        column[of] = moments[by]
    return found
