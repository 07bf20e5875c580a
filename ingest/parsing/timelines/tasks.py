"""The tasks in a timeline: one worker does one thing at a time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.parsing.timelines.arrays import places, running_most
from ingest.parsing.timelines.nesting import Nesting
from ingest.parsing.timelines.slices import Role, Timeline, encoded
from udfs.arrays import Flags, Integers

Pieces = tuple[Integers, Integers, Integers]


class Tasks:
    """The tasks of a process, by worker and start; times in ns.

    `slice` is the slice that each is (a piece of), `of_device` the task of each slice of a GPU.
    """

    def __init__(self, timeline: Timeline, threads: Integers, nested: Nesting) -> None:
        slices = timeline.slices
        device = np.flatnonzero(slices.role == Role.DEVICE)
        owner, start, end = _pieces(timeline, threads, nested)
        last = _last_waits(timeline, owner, start)
        owner = np.concatenate((owner, last, device))
        start = np.concatenate((start, slices.end[last], slices.start[device]))
        end = np.concatenate((end, slices.end[last], slices.end[device]))
        order = np.lexsort((end, start, slices.worker[owner]))
        self._timeline = timeline
        self.slice, self.start, self.end = owner[order], start[order], end[order]
        self.worker = slices.worker[self.slice]
        self.is_device = slices.role[self.slice] == Role.DEVICE
        self.of_device = np.full(len(slices.start), -1, np.int64)
        self.of_device[self.slice[self.is_device]] = np.flatnonzero(self.is_device)

    def __len__(self) -> int:
        return len(self.slice)

    def columns(self, base: int) -> dict[str, pa.Array]:
        """Return the columns of the landing table that all tasks have, times from `base` on."""
        timeline = self._timeline
        return {
            "task": self.named(np.arange(len(self))),
            "worker": encoded([worker.name for worker in timeline.workers], self.worker),
            "name": encoded(timeline.names, timeline.slices.name[self.slice]),
            "t_start": pa.array(self.start - base),
            "t_end": pa.array(self.end - base),
        }

    def named(self, numbers: Integers) -> pa.Array:
        """Return the names of tasks by their numbers; null for -1."""
        return numbered("task", self._timeline.rank, numbers)

    def at(self, worker: Integers, time: Integers) -> Integers:
        """Return the last task that a worker had begun at a time, -1 where it had ended before."""
        found = places(self.worker, self.start, worker, time, "right") - 1
        fits = (found >= 0) & (self.worker[found] == worker) & (self.end[found] >= time)
        return np.where(fits, found, -1)

    def after(self, worker: Integers, time: Integers) -> Integers:
        """Return the first task that a worker begins at a time or later, -1 for none."""
        found = places(self.worker, self.start, worker, time, "left")
        found[found == len(self)] = -1
        return np.where(self.worker[found] == worker, found, -1)


def numbered(what: str, rank: int | None, numbers: Integers) -> pa.Array:
    """Return names such as `task 7`, with the rank before them where there is one."""
    texts = pc.cast(pa.array(numbers, mask=numbers < 0), pa.string())
    return pc.binary_join_element_wise(what if rank is None else f"rank {rank} {what}", texts, " ")


def _pieces(timeline: Timeline, threads: Integers, nested: Nesting) -> Pieces:
    """Return the slice, start and end of each task on threads.

    Tasks are the outermost calls, without the waits in them and parted where arrows end, and the
    spans that no call encloses, without the calls and spans in them.
    """
    slices = timeline.slices
    start, end, role = (x[threads] for x in (slices.start, slices.end, slices.role))
    # Calls that overlap without nesting are one task, to the end of the last.
    inside = np.flatnonzero(nested.outermost >= 0)
    np.maximum.at(end, nested.outermost[inside], end[inside])
    number = np.arange(len(threads))
    is_span = (role == Role.SPAN) & (nested.outermost < 0)
    is_call = nested.outermost == number
    is_owner = is_span | (is_call & (role == Role.WORK))
    in_span = (is_span | is_call) & (nested.parent >= 0)
    in_call = (role == Role.WAIT) & (nested.outermost >= 0) & ~is_call
    within = np.concatenate((number[in_span], number[in_call]))
    owner = np.concatenate((nested.parent[in_span], nested.outermost[in_call]))
    cut, time = _cuts(timeline, slices.worker[threads], start, end, is_owner)
    owner = np.concatenate((owner, cut))
    first, last = np.concatenate((start[within], time)), np.concatenate((end[within], time))
    owned = is_owner[owner]
    of, begin, until = gaps_within(
        np.flatnonzero(is_owner), start, end, owner[owned], first[owned], last[owned]
    )
    # A call without length counts as a task; a span that has no time of its own does not.
    keep = (until > begin) | (is_call & (start == end))[of]
    return threads[of[keep]], begin[keep], until[keep]


def _last_waits(timeline: Timeline, owner: Integers, start: Integers) -> Integers:
    """Return the waits that no task follows on their thread; `owner` and `start` are the tasks'.

    Their return is a task without length: without it, the wait would look like the end of all work.
    """
    slices = timeline.slices
    waits = np.flatnonzero(slices.role == Role.WAIT)
    latest = np.full(len(timeline.workers), np.iinfo(np.int64).max)
    latest[slices.worker[owner]] = np.iinfo(np.int64).min
    np.maximum.at(latest, slices.worker[owner], start)
    return waits[latest[slices.worker[waits]] < slices.end[waits]]


def _cuts(
    timeline: Timeline, worker: Integers, start: Integers, end: Integers, is_owner: Flags
) -> tuple[Integers, Integers]:
    """Return which calls and spans the ends of arrows part, and when."""
    arrows = timeline.arrows
    owners = np.flatnonzero(is_owner)
    owners = owners[np.lexsort((-end[owners], start[owners], worker[owners]))]
    if not len(owners):
        return owners, owners
    found = places(worker[owners], start[owners], arrows.to_worker, arrows.t_to, "right") - 1
    at = owners[found]
    inside = (found >= 0) & (worker[at] == arrows.to_worker)
    inside &= (start[at] < arrows.t_to) & (arrows.t_to < end[at])
    return at[inside], arrows.t_to[inside]


def gaps_within(
    owners: Integers,
    start: Integers,
    end: Integers,
    owner: Integers,
    first: Integers,
    last: Integers,
) -> Pieces:
    """Return owner, start and end of what is left of `owners` between what lies within them.

    [first, last) lies within `owner`, in any order. Pieces without length are among the result.
    """
    # The end of each owner closes its last piece, behind all that lies within it.
    of = np.concatenate((owner, owners))
    until = np.concatenate((first, end[owners]))
    resumes = np.concatenate((np.minimum(last, end[owner]), end[owners]))
    closes = np.arange(len(of)) >= len(owner)
    order = np.lexsort((closes, until, of))
    of, until, resumes = of[order], until[order], resumes[order]
    is_first = np.concatenate(([True], of[1:] != of[:-1]))[: len(of)]
    reached = np.roll(running_most(of, resumes), 1)
    begin = np.where(is_first, start[of], reached)
    return of, begin, np.maximum(until, begin)
