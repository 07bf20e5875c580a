"""Replay of a task graph with measured durations: what another machine would gain.

All times are int ns from the begin of the first worker's window. Tasks are in order of their
start, and every producer comes before those who read its data. Each step depends on the one before
(when a worker is free, when an input exists), so these are plain loops over lists; operations on
arrays by depth of the graph would be slower on the chains that matter most.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.arrow import Column, contiguous, numbers, returned

_MOST_TASKS = 100_000
# More overlap of tasks than this share of their durations: workers run several at once.
_OVERLAP = 0.01
_TASK = (
    "worker",
    "t_start",
    "t_end",
    "early_latency",
    "late_latency",
    "overhead",
    "unknown",
    "t_submit",
    "t_ready",
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

    def critical_path(self) -> int:
        """Return the longest chain of dependent computing, ns."""
        begin = [0] * len(self.start)
        longest = 0
        for i in range(len(begin)):
            at = 0
            for e in range(self.first[i], self.first[i + 1]):
                p = self.producer[e]
                computing = min(self.made[e], self.end[p]) - self.start[p]
                at = max(at, begin[p] + max(0, computing))
            begin[i] = at
            longest = max(longest, at + self.end[i] - self.start[i])
        return longest

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
        free = self.begins[:]
        end = [0] * len(self.start)
        for i, w in enumerate(self.worker):
            at = max(free[w] + before[i], self.ready[i])
            for e in range(self.first[i], self.first[i + 1]):
                p = self.producer[e]
                at = max(at, end[p] + self.made[e] - self.end[p])
            if latency:
                at += self.early[i]
            at = max(at, self.submit[i])
            if latency:
                at += self.late[i]
            if overhead:
                at += self.overhead[i]
            at += self.unknown[i]
            end[i] = at + (self.end[i] - self.start[i] if length is None else length[i])
            free[w] = max(free[w], end[i])
        return max(end)

    def halved(self, types: NDArray[np.int64], parts: Iterable[tuple[int, str]]) -> list[int]:
        """Return by how much the last end comes sooner with each part halved, ns.

        A part is a type of the tasks, of `types`, and what of them is halved.
        """
        before, _ = self.overlap()
        length = [end - start for start, end in zip(self.start, self.end, strict=True)]
        measured = max(self.end)
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

    def gains(self) -> dict[str, int | None]:
        """Return the critical path, and by how much each replay is shorter than the run, ns."""
        found: dict[str, int | None] = {"critical_path": self.critical_path()}
        if len(self.start) > _MOST_TASKS:
            return found
        before, overlap = self.overlap()
        measured = max(self.end)
        found["no_latency"] = max(0, measured - self.in_order(before, latency=False))
        found["no_overhead"] = max(0, measured - self.in_order(before, overhead=False))
        work = sum(self.end) - sum(self.start)
        if overlap <= _OVERLAP * work:
            fewer, more = self.listed(0), self.listed(1)
            found["one_more_worker"] = max(0, min(measured, fewer) - more)
        return found


def replay_tasks(t_begin: Column, tasks: Column, inputs: Column) -> pa.StructArray:
    """Replay the task graphs of runs.

    Args:
        t_begin: r lists, the begin of each worker's window.
        tasks: r lists of structs, one for each task, in order of its start: worker (its position in
            t_begin), t_start, t_end; early_latency, the latency in the wait before it, up to its
            submission; late_latency, overhead and unknown, the rest of that wait; t_submit and
            t_ready (when inputs that no task made existed), both 0 where unknown.
        inputs: r lists of structs, one for each input from another task, in order of the readers:
            reader and producer (positions of tasks, the producer's before the reader's), t_made,
            when it had been made.

    Returns:
        r structs (critical_path, no_latency, no_overhead, one_more_worker): the longest chain of
        computing, and by how much the last end comes sooner in each replay, ns; NULL: not replayed.
    """
    return pa.array([graph.gains() for graph in _graphs(t_begin, tasks, inputs)], _GAINS)


def replay_halved(t_begin: Column, tasks: Column, inputs: Column, parts: Column) -> pa.ListArray:
    """Replay the task graphs of runs with a part of them halved.

    Args:
        t_begin: r lists, as `replay_tasks` takes them, like the next two.
        tasks: r lists, with the number of each task's type.
        inputs: r lists.
        parts: r structs of lists with an element for each part: type, the number of a type of
            tasks, and cause (compute, latency, overhead), what is halved of such tasks.

    Returns:
        r lists, by how much the last end comes sooner with each part halved, ns.
    """
    rows = []
    all_tasks, all_parts = contiguous(tasks), contiguous(parts)
    for i, graph in enumerate(_graphs(t_begin, tasks, inputs)):
        types = numbers(all_tasks[i].values.field("type"))
        chosen, causes = (all_parts.field(name)[i].as_py() for name in ("type", "cause"))
        rows.append(graph.halved(types, zip(chosen, causes, strict=True)))
    return pa.array(rows, pa.list_(pa.int64()))


def _graphs(t_begin: Column, tasks: Column, inputs: Column) -> Iterator[Graph]:
    begins, all_tasks, all_inputs = (contiguous(column) for column in (t_begin, tasks, inputs))
    for i in range(len(begins)):
        columns = [numbers(all_tasks[i].values.field(name)) for name in _TASK]
        reader, producer, made = (
            numbers(all_inputs[i].values.field(name)) for name in ("reader", "producer", "t_made")
        )
        first = np.searchsorted(reader, np.arange(len(columns[0]) + 1))
        arrays = begins[i].values.to_numpy(), *columns, first, producer, made
        yield Graph(*(array.tolist() for array in arrays))
