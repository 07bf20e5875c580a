"""What a GPU executed, by which call, and what the threads that launch such do at each moment.

That is the innermost of their slices; annotations and ranges only cover what others do.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ingest.base import Rows
from ingest.parsing.timelines.gpu_calls import call_does, executed
from ingest.parsing.timelines.nesting import Nesting
from ingest.parsing.timelines.slices import NONE, Integers, Role, Timeline
from ingest.parsing.timelines.tasks import Tasks, gaps_within

DOES = ("sync", "copy", "memory", "launch", "operators", "python")
_OPERATORS = DOES.index("operators")


class Host:
    """The slices of threads that launched something: `does` numbers DOES, NONE for a mark."""

    def __init__(self, timeline: Timeline, threads: Integers, nested: Nesting) -> None:
        self._timeline, self._threads, self._nested = timeline, threads, nested
        self._place = np.full(len(timeline.slices.start), NONE)
        self._place[threads] = np.arange(len(threads))
        slices = timeline.slices
        forms, form = np.unique(
            (slices.kind[threads] * len(timeline.names) + slices.name[threads]) * len(Role)
            + slices.role[threads],
            return_inverse=True,
        )
        does = [self._does(number) for number in forms.tolist()]
        self.does = np.array(does, np.int64)[form]
        # The nearest operator of each slice, itself or above it, as a slice among the threads'.
        self.operator = self._nearest(self.does == _OPERATORS)

    def _does(self, form: int) -> int:
        form, role = divmod(form, len(Role))
        kind, name = divmod(form, len(self._timeline.names))
        text = self._timeline.kinds[kind]
        if role == Role.SPAN:
            return DOES.index("python") if "python" in (text or "").lower() else NONE
        does = call_does(text, self._timeline.names[name])
        return DOES.index(does or ("sync" if role == Role.WAIT else "operators"))

    def _nearest(self, wanted: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Integers:
        """Return for each slice the nearest that is wanted, itself or above it; NONE for none."""
        parent = self._nested.parent
        found = np.arange(len(parent))
        left = np.flatnonzero(~wanted)
        while len(left):
            found[left] = parent[found[left]]
            left = left[(found[left] >= 0) & ~wanted[found[left]]]
        return found

    def activity_columns(self, tasks: Tasks, base: int) -> dict[str, pa.Array]:
        """Return what the tasks of a GPU are, and the calls that launched them."""
        timeline, slices = self._timeline, self._timeline.slices
        workers = pa.array([worker.name for worker in timeline.workers], pa.string())
        names = pa.array(timeline.names, pa.string())
        device = np.flatnonzero(tasks.is_device)
        of = tasks.slice[device]
        forms, form = np.unique(
            slices.kind[of] * len(timeline.names) + slices.name[of], return_inverse=True
        )
        found = [divmod(number, len(timeline.names)) for number in forms.tolist()]
        kinds = pa.array([executed(timeline.kinds[k], timeline.names[n]) for k, n in found])
        caller = np.full(len(tasks), NONE)
        caller[tasks.of_device[timeline.launches.device]] = timeline.launches.caller
        unknown = caller < 0
        operator = np.where(unknown, NONE, self.operator[self._place[caller]])
        step = np.where(unknown, NONE, steps(timeline, slices.start[caller]))
        size = np.full(len(tasks), NONE)
        if slices.size is not None:
            size[device] = slices.size[of]
        kind = np.zeros(len(tasks), np.int64)
        kind[device] = form
        return {
            "kind": kinds.take(pa.array(kind, mask=~tasks.is_device)),
            "bytes": pa.array(size, mask=size < 0),
            "t_submit": pa.array(slices.start[caller] - base, mask=unknown),
            "t_submitted": pa.array(slices.end[caller] - base, mask=unknown),
            "submitter": workers.take(pa.array(slices.worker[caller], mask=unknown)),
            "operator": names.take(
                pa.array(slices.name[self._threads[operator]], mask=operator < 0)
            ),
            "step": pa.array(step, mask=step < 0),
        }

    def rows(self, base: int) -> Iterator[Rows]:
        """Yield what each thread that launched something does, times from `base` on."""
        timeline, slices = self._timeline, self._timeline.slices
        launching = np.zeros(len(timeline.workers), bool)
        launching[slices.worker[timeline.launches.caller]] = True
        start, end, worker = (x[self._threads] for x in (slices.start, slices.end, slices.worker))
        on = launching[worker]
        inner = np.flatnonzero(on & (self._nested.parent >= 0))
        of, begin, until = gaps_within(
            np.flatnonzero(on), start, end, self._nested.parent[inner], start[inner], end[inner]
        )
        doer = self._nearest(self.does != NONE)[of]
        kept = (until > begin) & (doer >= 0)
        of, begin, until, doer = of[kept], begin[kept], until[kept], doer[kept]
        order = np.lexsort((begin, worker[of]))
        of, begin, until, doer = of[order], begin[order], until[order], doer[order]
        # Where slices overlap without nesting, the later one is the innermost.
        same = worker[of][1:] == worker[of][:-1]
        until[:-1] = np.where(same, np.minimum(until[:-1], begin[1:]), until[:-1])
        names = pa.array(timeline.names, pa.string())
        name, operator = slices.name[self._threads[doer]], self.operator[doer]
        called = pa.array(slices.name[self._threads[operator]], mask=operator < 0)
        workers = pa.array([worker.name for worker in timeline.workers], pa.string())
        yield Rows(
            "host_activity",
            pa.table(
                {
                    "worker": workers.take(pa.array(worker[of])),
                    "t_start": begin - base,
                    "t_end": until - base,
                    "doing": pa.array(DOES).take(pa.array(self.does[doer])),
                    "name": names.take(pa.array(name)),
                    "operator": names.take(called),
                }
            ),
        )


def steps(timeline: Timeline, time: Integers) -> Integers:
    """Return the number of the step in which each time is, NONE where it is in no marked step.

    Of marks within others the outermost count; where steps of threads overlap, the latest.
    """
    slices = timeline.slices
    if slices.step is None:
        return np.full(len(time), NONE)
    marks = np.flatnonzero((slices.step != NONE) & (slices.role == Role.SPAN))
    marks = marks[np.lexsort((-slices.end[marks], slices.start[marks]))]
    reached = np.concatenate(([NONE], np.maximum.accumulate(slices.end[marks])[:-1]))
    marks = marks[slices.end[marks] > reached[: len(marks)]]
    at = np.searchsorted(slices.start[marks], time, side="right") - 1
    mark = marks[at] if len(marks) else np.zeros(len(time), np.int64)
    inside = (at >= 0) & (slices.end[mark] > time)
    return np.where(inside, slices.step[mark], NONE)
