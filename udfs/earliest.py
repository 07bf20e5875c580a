"""How soon a task program can end on more workers: bounds that follow from its task graph.

No task begins before it was submitted, nor before what it reads exists; so each has a moment at
which a worker can take it up (its head), and what must follow it (its tail). The tasks with heads
of h or later and tails of q or longer take the workers together at least their work, between h
and q from the end (Carlier and Pinson, Jackson's pseudo preemptive schedule, 1998, for some pairs
of h and q instead of all). A task that needs all before it has these behind it, likewise. Workers
of one kind take tasks of their kind only: a kernel of a GPU runs on no thread of the host.
"""

# Comparisons: max() of two takes three times as long.
# ruff: noqa: PLR1730

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from udfs.arrays import Integers
from udfs.task_graph import TaskGraph

# Heads and tails that are compared in pairs: of many values, quantiles. Each pair gives a bound.
_PAIRS = 64


@dataclass(frozen=True, slots=True)
class Program:
    """The n tasks of a run by their start, and their m inputs, by reader; times are ns.

    `wait` is latency and overhead before a task, that remain; `occupied` the time of its worker
    that it had to itself; `release` when it had been submitted and all that no task made was there.
    Inputs of task i are those from first[i] up to first[i + 1]; each was made by `producer`, a
    place before that of the reader, `delay` after that began. `kind` is the number of the kind of
    the worker that ran it.
    """

    start: Integers
    length: Integers
    wait: Integers
    occupied: Integers
    release: Integers
    first: Integers
    producer: Integers
    delay: Integers
    kind: Integers

    @classmethod
    def of(cls, graph: TaskGraph) -> Program:
        """Return the program of a task graph."""
        free, later = graph.start.copy(), graph.before >= 0
        free[graph.by_worker[later]] = graph.end[graph.by_worker[graph.before[later]]]
        return cls(
            start=graph.start,
            length=graph.end - graph.start,
            wait=graph.late + graph.overhead,
            occupied=np.maximum(0, graph.end - np.maximum(graph.start, free)),
            release=np.maximum(graph.submit, graph.ready),
            first=graph.first,
            producer=graph.producer,
            delay=np.maximum(0, graph.made - graph.start[graph.producer]),
            kind=graph.kind[graph.worker],
        )

    def chain_end(self, begin: int) -> int:
        """Return the end of the longest chain that begins at `begin` and has no waits."""
        # between the end of a task and when its datum was made the runtime may have worked
        delay = np.minimum(self.delay, self.length[self.producer])
        chains = replace(self, wait=np.zeros_like(self.wait), delay=delay)
        heads, _ = chains._heads(begin, [len(self.start)] * (int(self.kind.max()) + 1))
        return int((heads + self.length).max())

    def ends_on(self, *workers: Sequence[int] | Integers) -> list[int]:
        """Return the moments before which the program cannot end on so many workers by kind."""
        begin = int((self.start - self.wait).min())
        work, tails = self.wait + self.occupied, self._tails()
        members = {kind: np.flatnonzero(self.kind == kind) for kind in np.unique(self.kind)}
        ends = []
        for by_kind in workers:
            heads, done = self._heads(begin, by_kind)
            end = max(done, int((heads + self.wait + self.length + tails).max()))
            for kind, of in members.items():
                several = int(by_kind[kind])
                # of k tasks as long as the shortest of them, one worker runs a share, rounded up
                shares = np.sort(work[of])[::-1] * -(-np.arange(1, len(of) + 1) // several)
                alike = begin + int(shares.max())
                end = max(end, alike, self._by_pairs(heads[of], tails[of], work[of], several))
            ends.append(end)
        return ends

    def _heads(self, begin: int, workers: Sequence[int] | Integers) -> tuple[Integers, int]:
        """Return when each task can be taken up, and all be done, at the earliest from `begin`."""
        wait, work = self.wait[self.producer], (self.wait + self.occupied).tolist()
        producer, delay = self.producer.tolist(), (wait + self.delay).tolist()
        is_whole = (self.delay >= self.length[self.producer]).tolist()
        heads, kinds = np.maximum(self.release, begin).tolist(), self.kind.tolist()
        every = sorted(set(kinds))

        def all_done(first: int, end: int) -> int:
            """Return when those tasks are done, with and without the first, which may be alone."""
            ends = [begin]
            for kind in every:
                places: Sequence[int] = range(first, end)
                if len(every) > 1:
                    places = [i for i in places if kinds[i] == kind]
                for some in (places, places[1:]) if places and places[0] == first else (places,):
                    takes, several = [work[i] for i in some], int(workers[kind])
                    share = (
                        -(-sum(takes) // several),
                        -(-len(some) // several) * min(takes, default=0),
                    )
                    ends.append(min([heads[i] for i in some], default=begin) + max(share))
            return max(ends)

        is_read, gate, counted = ([value] * len(heads) for value in (False, -1, -1))
        # unread: how many of the tasks so far no other needs; opened: the place of the last that
        # needed all before it, which are done at `done`; those of them that no other needed, so
        # many as `gates`, have it as their gate: who needs these needs all of them
        e = unread = opened = gates = done = 0
        for i, last in enumerate(self.first[1:].tolist()):
            head, met, fresh = heads[i], 0, []
            while e < last:
                p = producer[e]
                there = heads[p] + delay[e]
                if there > head:
                    head = there
                if is_whole[e]:
                    if not is_read[p]:
                        is_read[p] = True
                        fresh.append(p)
                    if gate[p] == opened and counted[p] != i:
                        counted[p] = i
                        met += 1
                e += 1
            unread -= len(fresh)
            if not unread:
                done = all_done(opened, i)
                opened, gates = i, len(fresh)
                for p in fresh:
                    gate[p] = i
            if not unread or met == gates:
                head = max(head, done)
            heads[i] = head
            unread += 1
        return np.array(heads, np.int64), all_done(opened, len(heads))

    def _tails(self) -> Integers:
        """Return how long after each task the program goes on at least."""
        reader = np.repeat(np.arange(len(self.start)), np.diff(self.first)).tolist()
        producer, late = self.producer.tolist(), self.delay - self.length[self.producer]
        takes, after = (self.wait + self.length).tolist(), late.tolist()
        tails = [0] * len(takes)
        for e in range(len(reader) - 1, -1, -1):
            k, p = reader[e], producer[e]
            tail = after[e] + takes[k] + tails[k]
            if tail > tails[p]:
                tails[p] = tail
        return np.array(tails, np.int64)

    @staticmethod
    def _by_pairs(heads: Integers, tails: Integers, work: Integers, workers: int) -> int:
        """Return the latest end by the work of tasks of late heads and long tails."""
        lows, sides = [], []
        for values in (heads, tails):
            ordered = np.unique(values)
            low = ordered[np.unique(np.linspace(0, len(ordered) - 1, _PAIRS).astype(np.int64))]
            lows.append(low)
            sides.append(low.searchsorted(values, "right") - 1)
        sums = np.zeros([len(low) for low in lows], np.int64)
        np.add.at(sums, tuple(sides), work)
        sums = sums[::-1, ::-1].cumsum(0).cumsum(1)[::-1, ::-1]
        ends = lows[0][:, None] - (-sums // workers) + lows[1]
        return int(ends[sums > 0].max(initial=heads.min()))
