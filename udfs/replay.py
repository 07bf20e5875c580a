"""Replay of a task graph with measured durations: what another machine would gain.

All times are int ns. Tasks are in order of their
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

from udfs.arrow import Column, contiguous, returned
from udfs.task_graph import TaskGraph

# More overlap of tasks than this share of their durations: workers run several at once.
_OVERLAP = 0.01
_GAINS = returned("replay_tasks")


@dataclass(frozen=True, slots=True)
class Graph:
    """A task graph, as `TaskGraph`, in lists.

    Of the wait before a task what is of `unknown` cause remains.
    """

    begins: list[int]
    kind: list[int]
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
    more: list[int]

    @classmethod
    def of(cls, graph: TaskGraph) -> Graph:
        """Return the lists of a task graph."""
        return cls(**{name: getattr(graph, name).tolist() for name in cls.__slots__})

    def overlap(self) -> tuple[list[int], int]:
        """Return by how much tasks began before their worker was free (<= 0); how long they met."""
        free = self.begins[:]
        early, met = [0] * len(self.start), 0
        for i, w in enumerate(self.worker):
            early[i] = min(0, self.start[i] - free[w])
            met += min(-early[i], self.end[i] - self.start[i])
            free[w] = max(free[w], self.end[i])
        return early, met

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

    def halved(self, before: list[int], parts: Iterable[tuple[str, set[int]]]) -> list[int]:
        """Return by how much the last end comes sooner with each part halved, ns.

        `before` is what `overlap` returns. A part is what of tasks is halved, and their places.
        """
        length, measured = self.lengths(), max(self.end)
        gains = []
        for cause, chosen in parts:

            def half(values: list[int], chosen: set[int] = chosen) -> list[int]:
                return [value // 2 if i in chosen else value for i, value in enumerate(values)]

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

    def listed(self, more: int | None = None) -> int:
        """Return the last end by list scheduling, with one worker more of the kind `more`.

        A free worker takes, of the tasks of its kind whose inputs exist, the one that started first
        in the measured run (Graham, Bounds on multiprocessing timing anomalies, 1969).
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
        kinds = range(max(self.kind) + 1)
        of = [self.kind[w] for w in self.worker]
        waiting: list[list[tuple[int, int]]] = [[] for _ in kinds]
        for i in range(n):
            if not missing[i]:
                waiting[of[i]].append((ready[i], i))
        at = last = min(self.begins)
        free: list[list[int]] = [[at] * (kind == more) for kind in kinds]
        for kind, begin in zip(self.kind, self.begins, strict=True):
            free[kind].append(begin)
        for kind in kinds:
            heapq.heapify(waiting[kind])
            heapq.heapify(free[kind])
        runnable: list[list[int]] = [[] for _ in kinds]
        for _ in range(n):
            # the next to begin, of those kinds of which a task can
            at, kind = min(
                (max(at, free[k][0], at if runnable[k] else waiting[k][0][0]), k)
                for k in kinds
                if runnable[k] or waiting[k]
            )
            heapq.heappop(free[kind])
            queue, able = waiting[kind], runnable[kind]
            while queue and queue[0][0] <= at:
                heapq.heappush(able, heapq.heappop(queue)[1])
            i = heapq.heappop(able)
            began = at + self.late[i] + self.overhead[i] + self.unknown[i]
            done = began + self.end[i] - self.start[i]
            heapq.heappush(free[kind], done)
            last = max(last, done)
            for e in readers[i]:
                k = reader[e]
                ready[k] = max(ready[k], began, done + self.made[e] - self.end[i])
                missing[k] -= 1
                if not missing[k]:
                    heapq.heappush(waiting[of[k]], (ready[k], k))
        return last

    def gains(self, parts: Iterable[tuple[str, set[int]]]) -> dict[str, int | list[int] | None]:
        """Return by how much each replay is shorter than the run, ns."""
        before, overlap = self.overlap()
        measured = max(self.end)
        found: dict[str, int | list[int] | None] = {
            "no_latency": max(0, measured - self.in_order(before, latency=False)),
            "no_overhead": max(0, measured - self.in_order(before, overhead=False)),
            "halved": self.halved(before, parts),
        }
        if overlap <= _OVERLAP * sum(self.lengths()):
            listed = min(measured, self.listed())
            found["listed"] = listed
            if self.more:
                more = min(self.listed(kind) for kind in self.more)
                found["one_more_worker"] = max(0, listed - more)
        return found


def replay_tasks(tasks: Column, inputs: Column, workers: Column, parts: Column) -> pa.StructArray:
    """Replay the task graphs of runs.

    Args:
        tasks, inputs, workers: as `walk_critical_path` has them.
        parts: r lists of structs: cause (compute, latency, overhead), what is halved, and tasks,
            the numbers of those of which it is.

    Returns:
        r structs (no_latency, no_overhead, halved, one_more_worker, listed): by how much the last
        end comes sooner in each replay, with each part halved in a list, ns; one more worker is of
        the kind of which it comes soonest; listed is the last end by list scheduling on the same
        workers, ns, if that is sooner than measured. NULL: not replayed.
    """
    rows: list[dict[str, int | list[int] | None]] = []
    lists = [contiguous(column) for column in (tasks, inputs, workers)]
    for i, halves in enumerate(contiguous(parts).to_pylist()):
        graph = TaskGraph.read(*(each[i].values for each in lists))
        halved = [
            (part["cause"], set(np.flatnonzero(np.isin(graph.number, part["tasks"])).tolist()))
            for part in halves
        ]
        rows.append(Graph.of(graph).gains(halved))
    return pa.array(rows, _GAINS)
