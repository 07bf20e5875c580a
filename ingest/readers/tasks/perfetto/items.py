"""From the records of a trace to its run, its timeline and its counters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ingest.base import Item, LeftOut, Run
from ingest.parsing.timelines.counters import Points, Series, counter_rows
from ingest.parsing.timelines.landing import landing
from ingest.parsing.timelines.slices import Arrows, Role, Slices, Timeline, Worker, distinct
from udfs.arrays import Integers
from warehouse.errors import InputError

_HOST = "host"
_UNTIL_2200 = 7_258_118_400 * 10**9
# Counters of Linux and of tracks for threads that count from the start of something on.
_TOTALS = re.compile(r"cpu\.times\.|num_(irq|softirq|forks)|thread_(time|instruction_count)\b")


def trace_items(records: pa.Table) -> Iterator[Item]:
    """Yield the run, then the rows of its timeline and counters; `records` as in question.sql."""
    of = _Records(records)
    timeline, kept = _timeline(of)
    points = of["point"]
    if not len(timeline.slices.start) and not points.num_rows:
        held = ", ".join(f"{count:,} {what}s" for what, count in _counted(of["sample"]))
        raise InputError(
            "the trace has no slice that ended, and no counter"
            + (f"; it has {held}, of which pwh reads none" if held else ""),
            expected="slices of threads or CPUs, or counters",
        )
    first = timeline.slices.start if len(timeline.slices.start) else _integers(points, "at")
    base = int(first.min())
    yield Run(started_at=_date(of["clock"], base))
    if len(timeline.slices.start):
        yield from landing(timeline, base)
    yield from _counters(of)
    yield from _left_out(of, kept)


class _Records:
    """The records by kind."""

    def __init__(self, records: pa.Table) -> None:
        self._records = records.unify_dictionaries()

    def __getitem__(self, kind: str) -> pa.Table:
        return self._records.filter(
            pc.equal(self._records["record"].cast(pa.binary()), kind.encode())
        )


def _timeline(of: _Records) -> tuple[Timeline, str]:
    """Return the timeline, and which records are its tasks: those of threads, else of CPUs."""
    kept = "slice" if _is_whole(of["slice"]).any() else "schedule"
    parts = [_whole(of[kind]) for kind in (kept, "device", "operation")]
    numbers, tracks = (np.unique(_integers(part, "number")) for part in parts[:2])
    every = pa.concat_tables(parts).unify_dictionaries()
    names, name = _texts(every, "name")
    kinds, kind = _texts(every, "kind")
    start = _integers(every, "at")
    work, devices, operations = parts
    slices = Slices(
        worker=np.concatenate(
            (
                np.searchsorted(numbers, _integers(work, "number")),
                np.searchsorted(tracks, _integers(devices, "number")) + len(numbers),
                np.zeros(operations.num_rows, np.int64),
            )
        ),
        name=name,
        kind=kind,
        role=np.repeat([Role.WORK, Role.DEVICE, Role.CLOCK], [part.num_rows for part in parts]),
        start=start,
        end=start + _integers(every, "length"),
    )
    queues = _queues(of["queue"], tracks)
    if kept == "schedule":
        workers = [Worker(f"CPU {number}", _HOST) for number in numbers.tolist()] + queues
        return Timeline(workers, _named(names), [k or None for k in kinds], slices), kept
    workers = _threads(of["thread"], numbers) + queues
    arrows = _arrows(of["flow"], numbers)
    return Timeline(workers, _named(names), [k or None for k in kinds], slices, arrows=arrows), kept


def _named(names: list[str]) -> list[str]:
    return [name or "(no name)" for name in names]


def _is_whole(slices: pa.Table) -> npt.NDArray[np.bool_]:
    """Return which slices have a duration; instants have 0, what never ended has -1."""
    return _integers(slices, "length") > 0


def _whole(slices: pa.Table) -> pa.Table:
    return slices.filter(pa.array(_is_whole(slices)))


def _threads(threads: pa.Table, numbers: Integers) -> list[Worker]:
    """Return the workers of the threads with these numbers, in their order."""
    known = dict(
        zip(
            _integers(threads, "number").tolist(),
            zip(
                _all_texts(threads, "name"),
                _all_texts(threads, "kind"),
                threads["place"].to_pylist(),
                threads["at"].to_pylist(),
                strict=True,
            ),
            strict=True,
        )
    )
    found = [known.get(number, ("", "", None, None)) for number in numbers.tolist()]
    several = len({pid for _, _, pid, _ in found}) > 1
    names = [
        (f"{process or 'process'} {pid} " if several and pid is not None else "")
        + (name or f"thread {tid}")
        for name, process, pid, tid in found
    ]
    own = distinct(names, [tid for *_, tid in found])
    return [Worker(name, _HOST, tid) for name, (*_, tid) in zip(own, found, strict=True)]


def _queues(queues: pa.Table, tracks: Integers) -> list[Worker]:
    """Return the workers of the queues of GPUs with these tracks; a trace does not number GPUs."""
    known = dict(zip(_integers(queues, "number").tolist(), _all_texts(queues, "name"), strict=True))
    names = [f"GPU {known[track] or 'queue'}" for track in tracks.tolist()]
    return [Worker(name, _HOST, device="GPU") for name in distinct(names, tracks.tolist())]


def _arrows(flows: pa.Table, numbers: Integers) -> Arrows:
    """Return the flows between threads.

    A trace states which slices a flow connects, not when: it leaves one in its last nanosecond,
    or where it begins, if it is still running when the other begins.
    """
    begin, length = _integers(flows, "at"), _integers(flows, "length")
    enters = _big(flows)
    left, right = _integers(flows, "number"), _integers(flows, "place")
    known = np.isin(left, numbers) & np.isin(right, numbers) & (begin <= enters)
    last = begin + np.maximum(length, 1) - 1
    leaves = np.where(last < enters, last, begin)
    return Arrows(
        np.searchsorted(numbers, left[known]),
        leaves[known],
        np.searchsorted(numbers, right[known]),
        enters[known],
        np.zeros(int(known.sum()), bool),
    )


def _counters(of: _Records) -> Iterator[Item]:
    counters, points = of["counter"], of["point"]
    tracks = _integers(counters, "number")
    labels = distinct(_all_texts(counters, "name"), tracks.tolist())
    units = _all_texts(counters, "kind")
    series = [
        Series(label, unit or None, is_total=_TOTALS.match(label) is not None)
        for label, unit in zip(labels, units, strict=True)
    ]
    order = np.argsort(tracks)
    place = order[np.searchsorted(tracks[order], _integers(points, "number"))]
    values = np.array(points["value"].to_pylist(), np.float64)
    yield from counter_rows(series, Points(place, _integers(points, "at"), values))


def _left_out(of: _Records, kept: str) -> Iterator[LeftOut]:
    for kind in sorted({kept, "slice", "device", "operation"}):
        length = _integers(of[kind], "length")
        yield LeftOut(int(np.count_nonzero(length == 0)), "instant", "they have no duration")
        yield LeftOut(int(np.count_nonzero(length < 0)), "slice", "without an end")
    if kept == "slice":
        yield LeftOut(
            of["schedule"].num_rows,
            "interval of a CPU",
            "the slices of threads land",
            "intervals of CPUs",
        )
    for what, count in _counted(of["sample"]):
        yield LeftOut(count, what, "no slice and no counter", what.replace("sample", "samples"))
    for what, count in _counted(of["loss"]):
        yield LeftOut(count, "trouble", f"the recording or the trace processor reports {what}")


def _counted(records: pa.Table) -> Iterator[tuple[str, int]]:
    """Yield what was counted, and how many of it, where there are any."""
    for what, count in zip(_all_texts(records, "name"), records["at"].to_pylist(), strict=True):
        if count:
            yield what, count


def _date(clock: pa.Table, time: int) -> datetime | None:
    """Return the date of a time of the trace, None where it does not know its clock's."""
    if not clock.num_rows:
        return None
    since_1970 = int(_big(clock)[0]) + time - int(_integers(clock, "at")[0])
    if not 0 < since_1970 < _UNTIL_2200:
        return None
    return datetime.fromtimestamp(since_1970 // 1000 / 1e6, UTC)


def _integers(table: pa.Table, column: str) -> Integers:
    found: Integers = pc.fill_null(table[column], 0).to_numpy().astype(np.int64)
    return found


def _big(table: pa.Table) -> Integers:
    """Return the column value as whole numbers."""
    found: Integers = table["value"].cast(pa.int64()).to_numpy()
    return found


def _texts(table: pa.Table, column: str) -> tuple[list[str], Integers]:
    """Return the different texts of a column in hexadecimal, and the number of each row's."""
    encoded = table[column].combine_chunks().cast(pa.binary()).dictionary_encode("encode")
    texts = [
        bytes.fromhex((text or b"").decode()).decode("utf-8", "replace")
        for text in encoded.dictionary.to_pylist()
    ]
    return texts, encoded.indices.to_numpy().astype(np.int64)


def _all_texts(table: pa.Table, column: str) -> list[str]:
    texts, place = _texts(table, column)
    return [texts[at] for at in place.tolist()]
