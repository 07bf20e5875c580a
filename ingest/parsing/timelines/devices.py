"""Work of GPUs, the calls that launched it, and why they idled between.

A gap of a device is a time in which none of its streams was busy; where it has several, each of
these has gaps of its own. The call that launched what ended a gap parts it: before it began, its
thread did something else; while it ran, the work was on its way; and after it had returned, the
device waited for another stream or for itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ingest.base import Rows
from ingest.parsing.timelines.arrays import groups, running_most, sums
from ingest.parsing.timelines.gpu_calls import executed, stages
from ingest.parsing.timelines.host import DOES, UNRECORDED, Host
from ingest.parsing.timelines.slices import NONE, Role, Timeline, encoded, looked_up
from ingest.parsing.timelines.tasks import Tasks
from udfs.arrays import Integers

_CLOCK_TICK = 1000  # ns: profilers round times to microseconds


class Devices:
    """The work of the GPUs of a timeline; `caller` and `step` are of each slice, NONE for none."""

    def __init__(self, timeline: Timeline, host: Host) -> None:
        self._timeline, self._host = timeline, host
        slices, launches = timeline.slices, timeline.launches
        self._caller = np.full(len(slices.start), NONE)
        self._caller[launches.device] = launches.caller
        self._step = np.full(len(slices.start), NONE)
        self._step[launches.device] = steps(timeline, slices.start[launches.caller])

    def task_columns(self, tasks: Tasks, base: int) -> dict[str, pa.Array]:
        """Return the columns of work of a GPU, null for other tasks; times from `base` on."""
        timeline, slices = self._timeline, self._timeline.slices
        of = np.where(tasks.is_device, tasks.slice, NONE)
        caller = looked_up(self._caller, of)
        worker = looked_up(slices.worker, caller)
        forms, form = np.unique(
            slices.kind[of] * len(timeline.names) + slices.name[of], return_inverse=True
        )
        found = [divmod(number, len(timeline.names)) for number in forms.tolist()]
        kinds = [executed(timeline.kinds[kind], timeline.names[name]) for kind, name in found]
        size = np.full(len(of), NONE) if slices.size is None else looked_up(slices.size, of)
        return {
            "kind": encoded(kinds, np.where(of < 0, NONE, form)),
            "bytes": _known(size),
            "t_submit": pa.array(slices.start[caller] - base, mask=caller < 0),
            "t_submitted": pa.array(slices.end[caller] - base, mask=caller < 0),
            "submitter": self._workers(worker),
            "operator": encoded(timeline.names, self._host.operators(caller)),
            "module": encoded(timeline.names, self._host.modules(caller)),
            "step": _known(looked_up(self._step, of)),
        }

    def gap_rows(self, tasks: Tasks, base: int) -> Iterator[Rows]:
        """Yield the gaps, and who was late in those of devices; times from `base` on."""
        slices, host = self._timeline.slices, self._host
        lane, start, of, is_other = self._gaps()
        devices, device_of, is_stream = self._lanes()
        end, caller = slices.start[of], self._caller[of]
        # A call that begins after what it is said to have launched is not that which did.
        caller = np.where(slices.start[caller] > end + _CLOCK_TICK, NONE, caller)
        known = caller >= 0
        begun = np.where(known, np.clip(slices.start[caller], start, end), start)
        returned = np.where(known, np.clip(slices.end[caller], begun, end), start)
        gap, piece, length = host.within(looked_up(slices.worker, caller), start, begun)
        place = host.does[piece] * len(of) + gap
        does = sums(length, place, len(DOES) * len(of)).reshape(len(DOES), len(of))
        # Before the first that was recorded of a thread, and after the last.
        does[UNRECORDED] += begun - start - does.sum(axis=0)
        short = host.is_interpreter[piece]
        late = np.full(len(of), NONE)
        first, place = groups(gap, host.name[piece] + 1)
        total = sums(length, place, len(first))
        order = np.argsort(total, kind="stable")
        late[gap[first[order]]] = host.name[piece[first[order]]]
        names = self._timeline.names
        columns = {
            "device": encoded(devices, device_of[lane]),
            "stream": self._workers(np.where(is_stream[lane], lane - len(devices), NONE)),
            "t_start": start - base,
            "t_end": end - base,
            "task": tasks.named(tasks.of_device[of]),
            "step": _known(self._step[of]),
            **{f"{DOES[n]}_ns": does[n] for n in range(len(DOES))},
            "call_ns": returned - begun,
            "device_ns": np.where(known, end - returned, 0),
            "unknown_ns": np.where(known, 0, end - start),
            "interpreter_ns": sums(length[short], gap[short], len(of)),
            "staging_ns": np.where(self._is_staged(of), returned - begun, 0),
            "is_other_stream": pa.array(is_other),
            "late": encoded(names, late),
        }
        yield Rows("gpu_gaps", pa.table(columns))
        whole = np.flatnonzero(~is_stream[lane[gap]])
        gap, piece, length = gap[whole], piece[whole], length[whole]
        step = self._step[of[gap]]
        first, place = groups(lane[gap], step + 1, host.does[piece], host.name[piece] + 1)
        late_columns = {
            "device": encoded(devices, device_of[lane[gap[first]]]),
            "step": _known(step[first]),
            "doing": encoded(DOES, host.does[piece[first]]),
            "name": encoded(names, host.name[piece[first]]),
            "gaps": sums(_is_new(gap, place), place, len(first)),
            "idle_ns": sums(length, place, len(first)),
        }
        yield Rows("gpu_late", pa.table(late_columns))

    def _is_staged(self, of: Integers) -> npt.NDArray[np.bool_]:
        """Return which works are copies whose bytes their call moves itself."""
        is_staged = [stages(name) for name in self._timeline.names]
        return np.array(is_staged or [False])[self._timeline.slices.name[of]]

    def _lanes(self) -> tuple[list[str], Integers, npt.NDArray[np.bool_]]:
        """Return the devices, and of each lane its device and whether it is a stream.

        The lanes are the devices, and then the workers.
        """
        workers = self._timeline.workers
        devices = list(dict.fromkeys(one.device for one in workers if one.device is not None))
        of = [NONE if one.device is None else devices.index(one.device) for one in workers]
        device_of = np.concatenate((np.arange(len(devices)), np.array(of, np.int64)))
        return devices, device_of, np.arange(len(device_of)) >= len(devices)

    def _gaps(self) -> tuple[Integers, Integers, Integers, npt.NDArray[np.bool_]]:
        """Return the gaps by lane and time: lane, start, and the slice that ended each.

        And whether another stream had been busy last.
        """
        slices = self._timeline.slices
        devices, device_of, _ = self._lanes()
        work = np.flatnonzero(slices.role == Role.DEVICE)
        stream = slices.worker[work] + len(devices)
        streams = np.bincount(device_of[np.unique(stream)], minlength=len(devices))
        several = np.flatnonzero(streams[device_of[stream]] > 1)
        lane = np.concatenate((device_of[stream], stream[several]))
        work = np.concatenate((work, work[several]))
        order = np.lexsort((slices.end[work], slices.start[work], lane))
        lane, work = lane[order], work[order]
        start, end = slices.start[work], slices.end[work]
        until = running_most(lane, end)
        last = np.maximum.accumulate(np.where(end == until, np.arange(len(work)), 0))
        follows = np.flatnonzero((lane[1:] == lane[:-1]) & (start[1:] > until[:-1]))
        of = work[follows + 1]
        is_other = slices.worker[work[last[follows]]] != slices.worker[of]
        return lane[follows], until[follows], of, is_other

    def _workers(self, numbers: Integers) -> pa.Array:
        return encoded([worker.name for worker in self._timeline.workers], numbers)


def steps(timeline: Timeline, time: Integers) -> Integers:
    """Return the number of the step in which each time is, NONE where it is in no marked step.

    Of marks within others the outermost count.
    """
    slices = timeline.slices
    if slices.step is None:
        return np.full(len(time), NONE)
    marks = np.flatnonzero((slices.step != NONE) & (slices.role == Role.SPAN))
    marks = marks[np.lexsort((-slices.end[marks], slices.start[marks]))]
    if not len(marks):
        return np.full(len(time), NONE)
    reached = np.concatenate(([slices.start[marks[0]]], slices.end[marks][:-1]))
    marks = marks[slices.end[marks] > np.maximum.accumulate(reached)]
    at = np.searchsorted(slices.start[marks], time, side="right") - 1
    inside = (at >= 0) & (slices.end[marks[at]] > time)
    return np.where(inside, slices.step[marks[at]], NONE)


def _known(numbers: Integers) -> pa.Array:
    return pa.array(numbers, mask=numbers < 0)


def _is_new(gap: Integers, place: Integers) -> Integers:
    """Return 1 for the first row of each pair of gap and place, 0 for the others."""
    found = np.zeros(len(gap), np.int64)
    found[groups(gap, place)[0]] = 1
    return found
