"""From the events of a trace to the timeline of its process (or processes, in Chrome's own)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address

import numpy as np

from ingest.base import LeftOut
from ingest.parsing.timelines.arrays import places
from ingest.parsing.timelines.gpu_calls import step_numbers
from ingest.parsing.timelines.slices import (
    Arrows,
    Launches,
    Role,
    Slices,
    Timeline,
    Worker,
    distinct,
)
from ingest.readers.tasks.chrome_trace import kineto, xla
from ingest.readers.tasks.chrome_trace.events import NONE, Events, Id
from udfs.arrays import Flags, Integers

_NOT_LANDED = -1
_HOST = "host"
_TOTAL = "Total "
_SENT = re.compile(
    r"(?:^|[^a-z])(?:i?send|i?recv|receive|sent|message|msg|comm(?:unication)?|transfer|network|mpi|"
    r"packet|rpc)(?:[^a-z]|$)",
    re.IGNORECASE,
)
_SYSTEM_WIDE = 1 << 62


@dataclass(frozen=True, slots=True)
class _All:
    """All slices of a trace, those paired and those of asynchronous operations with them."""

    slices: Slices
    correlation: Integers
    size: Integers
    step: Integers


def assemble(
    events: Events,
    *,
    is_kineto: bool,
    is_clang: bool = False,
    is_xla: bool = False,
    rank: int | None = None,
    whole_lives: bool = False,
) -> Timeline:
    """Return the timeline; slices that are no work of anybody are not in it.

    clang -ftime-trace adds slices of made-up threads that are totals by name.
    """
    every = _all_slices(events)
    found = every.slices
    names = [_name(name, is_kineto=is_kineto) for name in events.names.things()]
    kinds = events.kinds.things()
    workers = _workers(events, is_kineto=is_kineto, rank=rank)
    roles, kind, step = found.role, found.kind, every.step
    if is_kineto:
        roles = _roles(found, names, kinds)
        texts = [str(name) for name in events.names.things()]
        step = step_numbers(texts, found.name, found.worker, found.start)
    if is_xla:
        of_xla, is_stream = _xla_threads(events, workers)
        roles = _xla_roles(found, names, step, of_xla, is_stream)
        is_python = np.array([xla.is_python(name) for name in names] or [False])
        kind = np.where(is_python[found.name], len(kinds), kind)
        kinds = [*kinds, xla.PYTHON]
    if is_clang:
        is_total = np.array([name.startswith(_TOTAL) for name in names] or [False])
        roles = np.where(is_total[found.name], _NOT_LANDED, roles)
    kept = roles != _NOT_LANDED
    columns = (found.worker, found.name, kind, roles, found.start, found.end, every.size, step)
    slices = Slices(*(column[kept] for column in columns))
    return Timeline(
        workers=workers,
        names=names,
        kinds=kinds,
        slices=slices,
        launches=_launches(slices, every.correlation[kept]),
        arrows=_arrows(events, slices, names, kinds),
        rank=rank,
        whole_lives=whole_lives,
    )


def left_out(events: Events, *, is_kineto: bool, is_clang: bool) -> Iterator[LeftOut]:
    """Yield what of the events no table has a place for."""
    yield LeftOut(events.unfinished + _unpaired(events), "slice", "without a start or an end")
    backward = int(np.count_nonzero(events.slices["length"] < 0))
    yield LeftOut(backward, "slice", "it ends before it starts")
    ends = int(np.count_nonzero(events.flows["step"] > 0)) - len(_joined(events)[2])
    yield LeftOut(ends, "end of an arrow", "without an earlier start", "ends of arrows")
    for phases, record, records in (
        ("iIRn", "instant", None),
        ("ONDPvVc(),=aTp", "event of objects, samples and clocks", "events of objects, samples and "
         "clocks"),
    ):  # fmt: skip
        count = sum(events.other[ph] for ph in phases)
        yield LeftOut(count, record, "they have no duration", records)
    unknown = Counter({ph: n for ph, n in events.other.items() if ph not in "iIRnONDPvVc(),=aTp"})
    for ph, count in unknown.items():
        yield LeftOut(count, f"event of phase {ph[:8]!r}", "the format does not define it")
    if is_clang:
        totals = np.array([str(name).startswith(_TOTAL) for name in events.names] or [False])
        count = int(np.count_nonzero(totals[events.slices["name"]]))
        yield LeftOut(count, "total of clang", "its slices land", "totals of clang")
    if is_kineto:
        kinds = events.kinds.things()
        lower = np.array([(kind or "").lower() for kind in kinds] or [""], dtype=object)
        of = Counter(lower[events.slices["kind"]].tolist())
        for kind, (record, records) in kineto.NOT_WORK.items():
            yield LeftOut(of[kind], record, "no work of the program", records)
        count = sum(events.links[kind] for kind in kineto.ORDERS) // 2
        yield LeftOut(count, "link of a forward to its backward operator",
                      "it states no time of a dependence",
                      "links of forward to backward operators")  # fmt: skip


def _unpaired(events: Events) -> int:
    marks = len(events.marks) + len(events.operations)
    return marks - 2 * sum(len(_pairs(events, which)[0]) for which in ("marks", "operations"))


def _pairs(events: Events, which: str) -> tuple[Integers, Integers]:
    marks = getattr(events, which)
    group = marks["group"]
    if which == "marks":
        nameless = np.array([events.names.get(name, NONE) for name in (None, "")])
        group = by_name(group, marks["name"], marks["begins"], nameless)
    return paired(group, marks["time"], marks["begins"])


def _all_slices(events: Events) -> _All:
    """Return slices given whole, then those paired, then asynchronous operations."""
    whole = events.slices
    forward = whole["length"] >= 0
    start = whole["start"][forward]
    parts = [
        (
            whole["thread"][forward],
            whole["name"][forward],
            whole["kind"][forward],
            np.full(len(start), Role.WORK),
            start,
            start + whole["length"][forward],
            *(whole[name][forward] for name in ("correlation", "size", "step")),
        )
    ]
    for which, role in (("marks", Role.WORK), ("operations", Role.CLOCK)):
        marks = getattr(events, which)
        begins, ends = _pairs(events, which)
        group = marks["group"][begins]
        count = len(begins)
        parts.append(
            (
                group if role == Role.WORK else np.zeros(count, np.int64),
                marks["name"][begins],
                marks["kind"][begins],
                np.full(count, role),
                marks["time"][begins],
                marks["time"][ends],
                *(np.full(count, NONE) for _ in ("correlation", "size", "step")),
            )
        )
    *columns, correlation, size, step = (
        np.concatenate(column).astype(np.int64) for column in zip(*parts, strict=True)
    )
    return _All(Slices(*columns), correlation, size, step)


def _name(name: Id, *, is_kineto: bool) -> str:
    text = "(no name)" if name is None or name == "" else str(name)
    return kineto.plain_name(text) if is_kineto else text


def _roles(slices: Slices, names: list[str], kinds: list[str | None]) -> Integers:
    """Return the roles of a Kineto trace's slices, _NOT_LANDED where there is none."""
    pairs, place = np.unique(slices.kind * len(names) + slices.name, return_inverse=True)
    found = [kineto.role(kinds[p // len(names)], names[p % len(names)]) for p in pairs.tolist()]
    roles = np.array([_NOT_LANDED if role is None else role for role in found], np.int64)[place]
    return np.where(slices.role == Role.CLOCK, Role.CLOCK, roles)


def _xla_threads(events: Events, workers: list[Worker]) -> tuple[Flags, Flags]:
    """Return which threads are of devices, and which of these are streams, whose workers it names.

    Their device is in the name of the process.
    """
    of_device, is_stream = np.zeros(len(workers), bool), np.zeros(len(workers), bool)
    for number, place in enumerate(events.threads.things()):
        process, thread = events.process_names.get(place[0], ""), events.thread_names.get(place, "")
        found = xla.device_and_stream(process, thread)
        if found is not None:
            device, stream = found
            of_device[number], is_stream[number] = True, stream is not None
            if stream is not None:
                workers[number] = Worker(f"{device} {stream}", _HOST, device=device)
    return of_device, is_stream


def _xla_roles(
    slices: Slices, names: list[str], step: Integers, of_device: Flags, is_stream: Flags
) -> Integers:
    roles = [
        [xla.host_role(name, marks_step=marks) for name in names or [""]] for marks in (False, True)
    ]
    host = np.array(roles, np.int64)[(step != NONE).astype(np.int64), slices.name]
    device = np.where(is_stream, Role.DEVICE, Role.CLOCK)[slices.worker]
    found = np.where(of_device[slices.worker], device, host)
    return np.where(slices.role == Role.CLOCK, Role.CLOCK, found)


def _launches(slices: Slices, correlation: Integers) -> Launches:
    """Return which calls launched what is executed on a GPU, by their correlation."""
    callers = np.flatnonzero((correlation != NONE) & (slices.role != Role.DEVICE))
    device = np.flatnonzero((correlation != NONE) & (slices.role == Role.DEVICE))
    number, first = np.unique(correlation[callers], return_index=True)
    if not len(number):
        device = device[:0]
    at = np.searchsorted(number, correlation[device])
    at[at == len(number)] = 0
    known = number[at] == correlation[device] if len(number) else np.zeros(0, bool)
    return Launches(callers[first[at[known]]], device[known], correlation[device[known]])


def _arrows(events: Events, slices: Slices, names: list[str], kinds: list[str | None]) -> Arrows:
    """Return the arrows between each point of a flow and the one before that it leaves.

    A point that does not bind to the slice around it binds to the next that begins. A slice that is
    a point is left at its end, or, if it is still running then, at its start.
    """
    flows = events.flows
    of, source, target = _joined(events)
    time, worker = flows["time"][of], flows["thread"][of]
    on = np.flatnonzero(slices.role <= Role.WAIT)
    on = on[np.lexsort((slices.start[on], slices.worker[on]))]
    to, t_to = worker[target], time[target]
    found = places(slices.worker[on], slices.start[on], to, t_to, "left")
    found[found == len(on)] = -1
    if len(on):
        begins = slices.start[on][found]
        binds_next = (flows["encloses"][of][target] == 0) & (slices.worker[on][found] == to)
        t_to = np.where(binds_next & (found >= 0), begins, t_to)
    # The first point names the flow; a slice that is one may do so by its category.
    says = np.array([_says_sent(text) for text in (*names, *kinds)] or [False])
    sent = says[flows["name"][of]] | says[len(names) + flows["kind"][of]]
    until = flows["until"][of][source]
    t_from = np.where(until < t_to, until, time[source])
    return Arrows(worker[source], t_from, to, t_to, sent[source] | sent[target])


def _joined(events: Events) -> tuple[Integers, Integers, Integers]:
    """Return the order of points by flow and time, and places in it where arrows begin and end."""
    flows = events.flows
    of = np.lexsort((flows["step"], flows["time"], flows["group"]))
    group = flows["group"][of]
    left = np.maximum.accumulate(np.where(flows["leaves"][of] > 0, np.arange(len(of)), -1))
    target = np.flatnonzero(flows["step"][of] > 0)
    target = target[target > 0]
    source = left[target - 1]
    known = (source >= 0) & (group[source] == group[target])
    return of, source[known], target[known]


def _says_sent(text: str | None) -> bool:
    return _SENT.search(text or "") is not None


def _workers(events: Events, *, is_kineto: bool, rank: int | None) -> list[Worker]:
    """Return the worker of each thread and stream.

    Their names are as in the trace, with process and number where these tell them apart.
    """
    places: list[tuple[Id, ...]] = events.threads.things()
    processes = {place[0] for place in places}
    prefix = "" if rank is None else f"rank {rank} "
    names = []
    for pid, tid, *stream in places:
        if stream:
            names.append(f"{prefix}GPU {pid} stream {str(tid).removeprefix('stream').strip()}")
        else:
            thread = events.thread_names.get((pid, tid), "").strip() or f"thread {tid}"
            process = events.process_names.get(pid, "").strip() or "process"
            of = f"{process} {pid} " if len(processes) > 1 and not is_kineto else ""
            names.append(f"{prefix}{of}{thread}")
    workers = []
    own_names = distinct(names, [tid for _, tid, *_ in places])
    for (pid, tid, *stream), name in zip(places, own_names, strict=True):
        is_thread = isinstance(tid, int) and 0 <= tid < _SYSTEM_WIDE and not stream
        number = tid if is_thread and isinstance(tid, int) else None
        device = f"{prefix}GPU {pid}" if stream else None
        node = _node(pid) if rank is None else f"rank {rank}"
        workers.append(Worker(name, node, number, device))
    return workers


def _node(pid: Id) -> str:
    """Return the node of a process: its address, where Ray states that in place of a number."""
    try:
        return str(ip_address(pid)) if isinstance(pid, str) else _HOST
    except ValueError:
        return _HOST


def paired(group: Integers, time: Integers, begins: Integers) -> tuple[Integers, Integers]:
    """Return the rows that begin slices and, for each, the row that ends it.

    Within a group an end belongs to the last begin that is open; rows of one time are in their
    order. Begins and ends without a partner are left out.
    """
    order = np.lexsort((time, group))
    order = order[~_is_unopened(group[order], begins[order] > 0)]
    starts = begins[order] > 0
    height = np.cumsum(np.where(starts, 1, -1))
    # Of the begins that are never ended some are still open when the next group starts: heights
    # count from the bottom of each group.
    first = np.concatenate(([True], group[order][1:] != group[order][:-1]))[: len(order)]
    ordinal = np.cumsum(first) - 1
    bottom = (height - np.where(starts, 1, -1))[first]
    level = height - bottom[ordinal] + ~starts
    by_level = np.lexsort((np.arange(len(order)), level, ordinal))
    starts, level, ordinal = starts[by_level], level[by_level], ordinal[by_level]
    ends = starts[:-1] & ~starts[1:] & (level[1:] == level[:-1]) & (ordinal[1:] == ordinal[:-1])
    at = np.flatnonzero(ends)
    return order[by_level[at]], order[by_level[at + 1]]


def by_name(thread: Integers, name: Integers, begins: Integers, nameless: Integers) -> Integers:
    """Return the groups in which marks are paired: threads, or threads and names.

    An end may state what it ends; then it ends nothing else. On threads where an end has no name
    (is one of `nameless`), or no name of a begin, ends belong to whatever began last.
    """
    if not len(thread):
        return thread
    threads = int(thread.max()) + 1
    both = thread * (int(name.max()) + 1) + name
    is_end = begins == 0
    is_nameless = np.isin(name, nameless)
    knows = np.isin(np.arange(threads), thread[is_end & np.isin(both, both[~is_end])])
    lacks = np.isin(np.arange(threads), thread[is_end & is_nameless])
    return np.where((knows & ~lacks)[thread], threads + both, thread)


def _is_unopened(group: Integers, begins: Flags) -> Flags:
    """Return which rows end what has not begun; rows are by group and time."""
    if not len(group):
        return begins
    height = np.cumsum(np.where(begins, 1, -1))
    first = np.concatenate(([True], group[1:] != group[:-1]))
    ordinal = np.cumsum(first) - 1
    height = height - (height - np.where(begins, 1, -1))[first][ordinal]
    # Each group is moved below all before it, so that the running least starts anew.
    below = ordinal * (2 * len(group) + 1)
    least = np.minimum.accumulate(np.minimum(height, 0) - below) + below
    before = np.concatenate(([0], least[:-1]))
    before[first] = 0
    unopened: Flags = ~begins & (least < before)
    return unopened
