"""Activity of the threads that launch work of a GPU at each moment: the innermost of their slices.

Annotations and ranges only cover what others do, so that what is innermost below them counts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ingest.parsing.timelines.arrays import places
from ingest.parsing.timelines.gpu_calls import call_does, is_of_module, is_operator
from ingest.parsing.timelines.nesting import Nesting
from ingest.parsing.timelines.slices import NONE, Role, Timeline, looked_up
from ingest.parsing.timelines.tasks import gaps_within
from udfs.arrays import Integers

DOES = ("sync", "copy", "memory", "launch", "operators", "python", "unrecorded")
# Nothing recorded for less than this, in ns, is the interpreter at work.
_INTERPRETER = 200_000
OPERATORS, UNRECORDED = DOES.index("operators"), DOES.index("unrecorded")


class Host:
    """The time of the threads that launched something, piece by piece, by thread and start.

    `does` numbers DOES, `name` the names of the timeline, that of an annotation where nothing else
    was recorded (NONE where neither was); times in ns. The pieces of a thread follow each other
    from the first to the last that was recorded. In those that are `is_interpreter` Python's
    interpreter works between operators.
    """

    def __init__(self, timeline: Timeline, threads: Integers, nested: Nesting) -> None:
        self._timeline, self._threads, self._nested = timeline, threads, nested
        self._does = self._doing()
        slices = timeline.slices
        start, end, worker = (x[threads] for x in (slices.start, slices.end, slices.worker))
        launching = np.zeros(len(timeline.workers), bool)
        launching[slices.worker[timeline.launches.caller]] = True
        on = launching[worker]
        inner = np.flatnonzero(on & (nested.parent >= 0))
        of, begin, until = gaps_within(
            np.flatnonzero(on), start, end, nested.parent[inner], start[inner], end[inner]
        )
        doer = self._nearest(self._does != NONE)[of]
        marks = np.flatnonzero((until > begin) & (doer < 0))
        marked = slices.name[threads[of[marks]]], worker[of[marks]], begin[marks], until[marks]
        if slices.step is not None:
            is_step = slices.step[threads[of[marks]]] != NONE
            marked = tuple(column[~is_step] for column in marked)
        kept = np.flatnonzero((until > begin) & (doer >= 0))
        kept = kept[np.lexsort((begin[kept], worker[of[kept]]))]
        begin, until, doer, on_worker = begin[kept], until[kept], doer[kept], worker[of[kept]]
        # Where slices overlap without nesting, the later one is the innermost.
        same = on_worker[1:] == on_worker[:-1]
        until[:-1] = np.where(same, np.minimum(until[:-1], begin[1:]), until[:-1])
        between = np.flatnonzero(same & (until[:-1] < begin[1:]))
        at = between + 1
        self.worker = np.insert(on_worker, at, on_worker[between])
        self.end = np.insert(until, at, begin[at])
        self.start = np.insert(begin, at, until[between])
        self.does = np.insert(self._does[doer], at, UNRECORDED)
        self.name = np.insert(slices.name[threads[doer]], at, NONE)
        has_operators = np.zeros(len(timeline.workers), bool)
        has_operators[self.worker[self.does == OPERATORS]] = True
        # Without operators what is not recorded can be anything.
        short = (self.does == UNRECORDED) & (self.end - self.start < _INTERPRETER)
        self.is_interpreter = short & has_operators[self.worker]
        self._name_unrecorded(*marked)

    def _name_unrecorded(
        self, name: Integers, worker: Integers, begin: Integers, until: Integers
    ) -> None:
        """Name the pieces of which nothing is recorded by the mark that covers most of each."""
        at = places(self.worker, self.start, worker, begin, "right") - 1
        known = np.flatnonzero(at >= 0)
        at, covers = at[known], np.minimum(self.end[at[known]], until[known]) - begin[known]
        is_most = 2 * covers > self.end[at] - self.start[at]
        is_free = (self.does[at] == UNRECORDED) & ~self.is_interpreter[at]
        named = is_most & is_free & (self.worker[at] == worker[known])
        self.name[at[named]] = name[known[named]]

    def _doing(self) -> Integers:
        """Return what each slice of a thread does, NONE where it is a mark."""
        slices, names = self._timeline.slices, self._timeline.names
        kind, name, role = (x[self._threads] for x in (slices.kind, slices.name, slices.role))
        forms, form = np.unique((kind * len(names) + name) * len(Role) + role, return_inverse=True)
        found = []
        for number in forms.tolist():
            of_both, of_role = divmod(number, len(Role))
            of_kind, of_name = divmod(of_both, len(names))
            found.append(_does(self._timeline.kinds[of_kind] or "", names[of_name], of_role))
        return np.array(found, np.int64)[form]

    def _nearest(self, wanted: npt.NDArray[np.bool_]) -> Integers:
        """Return for each slice the nearest that is wanted, itself or above it; NONE for none."""
        parent = self._nested.parent
        found = np.arange(len(parent))
        left = np.flatnonzero(~wanted)
        while len(left):
            found[left] = parent[found[left]]
            left = left[found[left] >= 0]
            left = left[~wanted[found[left]]]
        return found

    def own_time(self) -> Integers:
        """Return the exclusive time of each slice, ns; NONE of marks.

        Of calls that wait or copy, that in which no GPU worked: the rest is the GPU's.
        """
        slices = self._timeline.slices
        work = np.flatnonzero(slices.role == Role.DEVICE)
        work = work[np.argsort(slices.start[work], kind="stable")]
        until = np.maximum.accumulate(slices.end[work])
        begin = np.maximum(slices.start[work], np.concatenate(([0], until[:-1])))
        before = np.cumsum(np.maximum(until - begin, 0))
        waits = np.isin(self._does, (DOES.index("sync"), DOES.index("copy")))
        times = np.stack((slices.start, slices.end))[:, self._threads[waits]]
        at = np.searchsorted(slices.start[work], times, side="right") - 1
        # What is left at a time of the work that began last before it has not been done.
        done = looked_up(before, at) - np.maximum(looked_up(until, at) - times, 0)
        done = np.where(at < 0, 0, done)
        own = np.where(self._does == NONE, NONE, self._nested.own)
        own[waits] = np.maximum(own[waits] - (done[1] - done[0]), 0)
        return own

    def operators(self, calls: Integers) -> Integers:
        """Return the name of the operator within which each call was made, NONE for none."""
        return self._around(calls, self._does == OPERATORS)

    def modules(self, calls: Integers) -> Integers:
        """Return the name of the module within which each call was made, NONE for none."""
        is_module = [is_of_module(name) for name in self._timeline.names]
        names = self._timeline.slices.name[self._threads]
        return self._around(calls, np.array(is_module or [False])[names])

    def _around(self, calls: Integers, wanted: npt.NDArray[np.bool_]) -> Integers:
        """Return the name of the innermost wanted slice around each call, NONE for none."""
        place = np.full(len(self._timeline.slices.start), NONE)
        place[self._threads] = np.arange(len(self._threads))
        found = looked_up(self._nearest(wanted), looked_up(place, calls))
        return looked_up(self._timeline.slices.name[self._threads], found)

    def within(
        self, worker: Integers, begin: Integers, until: Integers
    ) -> tuple[Integers, Integers, Integers]:
        """Return which windows of threads overlap which pieces, and how long, ns."""
        some = np.flatnonzero(until > begin)
        worker = worker[some]
        first = places(self.worker, self.start, worker, begin[some], "right") - 1
        # Before the first piece of a thread is the last of another.
        first += looked_up(self.worker, first) != worker
        last = places(self.worker, self.start, worker, until[some], "left")
        count = np.maximum(last - first, 0)
        window = np.repeat(some, count)
        piece = np.arange(len(window)) - np.repeat(np.cumsum(count) - count - first, count)
        begins = np.maximum(self.start[piece], begin[window])
        length = np.minimum(self.end[piece], until[window]) - begins
        kept = length > 0
        return window[kept], piece[kept], length[kept]


def _does(kind: str, name: str, role: int) -> int:
    if role == Role.SPAN and not is_operator(name):
        return DOES.index("python") if "python" in kind.lower() else NONE
    return DOES.index(call_does(kind, name) or ("sync" if role == Role.WAIT else "operators"))
