"""Replay of a task graph with measured durations: what another machine would gain.

All times are int ns from the begin of the first worker's window. Tasks are in order of their
start, and every producer comes before those who read its data. Each step depends on the one before
(when a worker is free, when an input exists), so these are plain loops over lists; operations on
arrays by depth of the graph would be slower on the chains that matter most.
"""

# Comparisons: max() of two takes three times as long.
# ruff: noqa: PLR1730

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.arrow import Column, contiguous, numbers, returned

# More overlap of tasks than this share of their durations: workers run several at once.
_OVERLAP = 0.01
_TASK = (
    *("worker", "early_latency", "late_latency", "overhead", "unknown", "t_submit", "t_ready"),
)
_GAINS = returned("replay_tasks")


@dataclass(frozen=True, slots=True)
class Graph:
    """The tasks of a run, n entries each, and their inputs from other tasks, m entries each.

    The wait before a task is latency before its submission (`early`), then, from its submission
    on, latency (`late`), `overhead`, and what is of `unknown` cause, which remains. `ready` is when
    inputs that no task made existed. Inputs of task i are those from first[i] up to first[i + 1];
    `made` is when its producer had made one.
    """

    begins: list[int]
    worker: list[int]
    start: list[int]
    end: list[int]
    early: list[int]
    late: list[int]
    overhead: list[int]
    unknown: list[int]
    submit: list[int]
    ready: list[int]
    first: list[int]
    producer: list[int]
    made: list[int]

    def overlap(self) -> tuple[list[int], int]:
        """Return by how much each task began before its worker was free (<= 0), and their sum."""
        free = self.begins[:]
        early = [0] * len(self.start)
        for i, w in enumerate(self.worker):
            early[i] = min(0, self.start[i] - free[w])
            free[w] = max(free[w], self.end[i])
        return early, -sum(early)

    def in_order(
        self,
        before: list[int],
        *,
        latency: bool = True,
        overhead: bool = True,
        length: list[int] | None = None,
    ) -> int:
        """Return the last end with the same workers and order, with or without waits.

        `length` are other durations of the tasks. `before` is what `overlap` returns. With both
        waits it is the measured last end.
        """
        n = len(self.start)
        free, end, none = self.begins[:], [0] * n, [0] * n
        early, late = (self.early, self.late) if latency else (none, none)
        if length is None:
            length = self.lengths()
        delay = [made - self.end[p] for made, p in zip(self.made, self.producer, strict=True)]
        columns = (
            *(self.worker, before, self.ready, early, self.submit, late),
            *(self.overhead if overhead else none, self.unknown, length, self.first[1:]),
        )
        producer, e = self.producer, 0
        for i, (w, ahead, ready, wait, submit, more, work, rest, takes, last) in enumerate(
            zip(*columns, strict=True)
        ):
            at = free[w] + ahead
            if ready > at:
                at = ready
            while e < last:
                there = end[producer[e]] + delay[e]
                if there > at:
                    at = there
                e += 1
            at += wait
            if submit > at:
                at = submit
            end[i] = at = at + more + work + rest + takes
            if at > free[w]:
                free[w] = at
        return max(end)

    def lengths(self) -> list[int]:
        """Return how long the tasks took, ns."""
        return [end - start for start, end in zip(self.start, self.end, strict=True)]

    def halved(
        self, before: list[int], types: NDArray[np.int64], parts: Iterable[tuple[int, str]]
    ) -> list[int]:
        """Return by how much the last end comes sooner with each part halved, ns.

        `before` is what `overlap` returns. A part is a type of the tasks, of `types`, and what of
        them is halved.
        """
        length, measured = self.lengths(), max(self.end)
        gains = []
        for number, cause in parts:
            chosen = (types == number).tolist()

            def half(values: list[int], chosen: list[bool] = chosen) -> list[int]:
                pairs = zip(values, chosen, strict=True)
                return [value // 2 if is_chosen else value for value, is_chosen in pairs]

            graph, lasts = self, length
            match cause:
                case "compute":
                    lasts = half(length)
                case "latency":
                    graph = replace(self, early=half(self.early), late=half(self.late))
                case "overhead":
                    graph = replace(self, overhead=half(self.overhead))
            gains.append(max(0, measured - graph.in_order(before, length=lasts)))
        return gains

    def listed(self, extra: int) -> int:
        """Return the last end by list scheduling, with some workers more.

        A free worker takes, of the tasks whose inputs exist, the one that started first in the
        measured run (Graham, Bounds on multiprocessing timing anomalies, 1969).
        """
        n = len(self.start)
        readers: list[list[int]] = [[] for _ in range(n)]
        missing = [0] * n
        for i in range(n):
            for e in range(self.first[i], self.first[i + 1]):
                readers[self.producer[e]].append(e)
                missing[i] += 1
        reader = np.repeat(np.arange(n), np.diff(self.first)).tolist()
        ready = [max(pair) for pair in zip(self.ready, self.submit, strict=True)]
        waiting = [(ready[i], i) for i in range(n) if not missing[i]]
        heapq.heapify(waiting)
        free = self.begins + [min(self.begins)] * extra
        heapq.heapify(free)
        runnable: list[int] = []
        at = last = 0
        for _ in range(n):
            at = max(at, heapq.heappop(free))
            if not runnable:
                at = max(at, waiting[0][0])
            while waiting and waiting[0][0] <= at:
                heapq.heappush(runnable, heapq.heappop(waiting)[1])
            i = heapq.heappop(runnable)
            began = at + self.late[i] + self.overhead[i] + self.unknown[i]
            done = began + self.end[i] - self.start[i]
            heapq.heappush(free, done)
            last = max(last, done)
            for e in readers[i]:
                k = reader[e]
                ready[k] = max(ready[k], began, done + self.made[e] - self.end[i])
                missing[k] -= 1
                if not missing[k]:
                    heapq.heappush(waiting, (ready[k], k))
        return last

    def gains(
        self, types: NDArray[np.int64], parts: Iterable[tuple[int, str]]
    ) -> dict[str, int | list[int] | None]:
        """Return by how much each replay is shorter than the run, ns."""
        before, overlap = self.overlap()
        measured = max(self.end)
        found: dict[str, int | list[int] | None] = {
            "no_latency": max(0, measured - self.in_order(before, latency=False)),
            "no_overhead": max(0, measured - self.in_order(before, overhead=False)),
            "halved": self.halved(before, types, parts),
        }
        if overlap <= _OVERLAP * sum(self.lengths()):
            listed = min(measured, self.listed(0))
            found |= {"listed": listed, "one_more_worker": max(0, listed - self.listed(1))}
        return found


def replay_tasks(t_begin: Column, tasks: Column, inputs: Column, parts: Column) -> pa.StructArray:
    """Replay the task graphs of runs.

    Args:
        t_begin: r lists, the begin of each worker's window.
        tasks: r lists of structs, one for each task: n, a number of its own; worker (its
            position in t_begin), t_start, t_end; early_latency, the latency in the wait before it,
            up to its submission; late_latency, overhead and unknown, the rest of that wait;
            t_submit and t_ready (when inputs that no task made existed), both 0 where unknown;
            type, the number of its type.
        inputs: r lists of structs, one for each input from another task: reader and producer
            (numbers of tasks, the producer's start before the reader's), t_made, when it was made.
        parts: r lists of structs: type, the number of a type of tasks, and cause (compute, latency,
            overhead), what is halved of such tasks.

    Returns:
        r structs (no_latency, no_overhead, halved, one_more_worker, listed): by how much the last
        end comes sooner in each replay, with each part halved in a list, ns; listed is the last end
        by list scheduling on the same workers, ns since the first begin, if that is sooner than
        measured. NULL: not replayed.
    """
    rows: list[dict[str, int | list[int] | None]] = []
    begins, all_parts = contiguous(t_begin), contiguous(parts)
    all_tasks, all_inputs = contiguous(tasks), contiguous(inputs)
    for i in range(len(begins)):
        of, edge = all_tasks[i].values, all_inputs[i].values
        n, start = numbers(of.field("n")), numbers(of.field("t_start"))
        order = np.lexsort((n, start))
        by_number = np.argsort(n)
        place = np.empty(len(n), np.int64)
        place[order] = np.arange(len(n))
        reader, producer = (
            place[by_number[np.searchsorted(n, numbers(edge.field(name)), sorter=by_number)]]
            for name in ("reader", "producer")
        )
        by_reader = np.argsort(reader, kind="stable")
        first = np.searchsorted(reader, np.arange(len(n) + 1), sorter=by_reader)
        edges = producer[by_reader], numbers(edge.field("t_made"))[by_reader]
        graph = [array.tolist() for array in (first, *edges)]
        times = [start[order].tolist(), numbers(of.field("t_end"))[order].tolist()]
        worker, *waits = (numbers(of.field(name))[order].tolist() for name in _TASK)
        replayed = Graph(begins[i].values.to_pylist(), worker, *times, *waits, *graph)
        halved = [(part["type"], part["cause"]) for part in all_parts[i].as_py()]
        rows.append(replayed.gains(numbers(of.field("type"))[order], halved))
    return pa.array(rows, _GAINS)
