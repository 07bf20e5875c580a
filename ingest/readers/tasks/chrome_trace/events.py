"""The events of a trace, gathered into arrays as they are read."""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import compress
from operator import attrgetter
from typing import Any

import msgspec
import numpy as np

from ingest.parsing.timelines.microseconds import nanoseconds
from ingest.readers.tasks.chrome_trace.document import Event
from udfs.arrays import Integers
from warehouse.errors import InputError

Id = str | int | float | None
NONE = -1
_NULL = b"null"
_GROUPS = {
    "X": "slices",
    **{"B": "marks", "E": "marks", "C": "counters", "M": "metadata"},
    **{"b": "operations", "e": "operations", "S": "operations", "F": "operations"},
    **{"s": "flows", "t": "flows", "f": "flows", "i": "instants", "": "nothing"},
}
_FLOW_STEPS = {"s": 0, "t": 1, "f": 2}


class Args(msgspec.Struct, gc=False):
    """The arguments of metadata and of events of GPUs that are used."""

    name: Id = None
    correlation: Any = None
    correlation_id: Any = None
    bytes: Any = None
    memcpy_details: Any = None
    step_num: Any = None


class _Memory(msgspec.Struct, gc=False):
    """The arguments of an instant at which PyTorch allocates or frees memory."""

    device_type: Any = msgspec.field(default=None, name="Device Type")
    device: Any = msgspec.field(default=None, name="Device Id")
    allocated: Any = msgspec.field(default=None, name="Total Allocated")
    reserved: Any = msgspec.field(default=None, name="Total Reserved")


_thread = attrgetter("pid", "tid")
_form = attrgetter("name", "cat", "pid", "tid")
_called, _cat = attrgetter("name"), attrgetter("cat")
_ts, _dur = attrgetter("ts"), attrgetter("dur")
_args = msgspec.json.Decoder(Args)
_many_args = msgspec.json.Decoder(list[Args])
_memory = msgspec.json.Decoder(_Memory)
_values = msgspec.json.Decoder(dict[str, Any])
_MOVED = re.compile(r"\bsize:(\d{1,18})\b")
_LARGEST = 1 << 62
_MEMORY = "[memory]"


class Numbered(dict[Any, int]):
    """Numbers things in the order in which they are met first."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = number = len(self)
        return number

    def of(self, things: Iterable[Any], count: int) -> Integers:
        """Return the numbers of so many things."""
        return np.fromiter(map(self.__getitem__, things), np.int64, count)

    def things(self) -> list[Any]:
        """Return the things by their numbers."""
        return list(self)


class Columns:
    """Columns of whole numbers that grow together."""

    def __init__(self, *names: str) -> None:
        self._columns = {name: array("q") for name in names}

    def add(self, **values: Sequence[int] | Integers) -> None:
        """Append to every column."""
        for name, column in self._columns.items():
            column.frombytes(np.asarray(values[name], np.int64).tobytes())

    def append(self, **values: int) -> None:
        """Append one value to every column."""
        for name, column in self._columns.items():
            column.append(values[name])

    def __getitem__(self, name: str) -> Integers:
        return np.frombuffer(self._columns[name], np.int64)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))


class _Forms(Numbered):
    """Numbers forms of slices: name, category, process and thread together.

    They are few, so that one look-up a slice takes the place of three. `parts` are the numbers of
    name, kind and thread of each form; the thread of a GPU's slice is its stream, with a third
    part that tells it from a thread with the same numbers.
    """

    def __init__(
        self, names: Numbered, kinds: Numbered, threads: Numbered, devices: frozenset[str]
    ) -> None:
        self._names, self._kinds, self._threads = names, kinds, threads
        self._devices = devices
        self.parts = Columns("name", "kind", "thread")

    def __missing__(self, form: tuple[Id, str | None, Id, Id]) -> int:
        name, kind, pid, tid = form
        place = (pid, tid, True) if kind in self._devices else (pid, tid)
        self.parts.append(
            name=self._names[name], kind=self._kinds[kind], thread=self._threads[place]
        )
        return super().__missing__(form)


class Events:
    """The events of a file, by what they are; numbers refer to `names`, `kinds` and `threads`.

    `slices` have both ends. `marks` begin and end slices of threads, `operations` asynchronous
    ones, still to be paired, in the file's order. `flows` are the points of arrows, each of
    a slice (version 2) from its start `time` to its end `until`, `counters`
    the points of `series`, with their values in `counted`. `memory` is what the allocator of a
    device (the host is NONE) had in use and reserved, bytes. Times in ns.
    """

    def __init__(
        self,
        linked: frozenset[str | None] = frozenset(),
        known_links: frozenset[str] = frozenset(),
        devices: frozenset[str] = frozenset(),
    ) -> None:
        """Read the arguments of the categories `linked`; count flows of `known_links` only.

        Slices of the categories `devices` ran on GPUs: their pid and tid are those of a device
        and a stream, and no thread's that has the same numbers.
        """
        self._linked = linked
        self._known_links = known_links
        self.links: Counter[str] = Counter()
        self.names, self.kinds, self.threads = Numbered(), Numbered(), Numbered()
        self.series, self._flow_ids, self._operation_ids = Numbered(), Numbered(), Numbered()
        self._forms = _Forms(self.names, self.kinds, self.threads, devices)
        self.slices = Columns(
            *("thread", "name", "kind", "start", "length", "correlation", "size", "step")
        )
        self.marks = Columns("group", "name", "kind", "time", "begins")
        self.operations = Columns("group", "name", "kind", "time", "begins")
        self.flows = Columns(
            *("group", "kind", "name", "thread", "time", "until", "step", "leaves", "encloses")
        )
        self.counters = Columns("series", "time")
        self.memory = Columns("device", "time", "allocated", "reserved")
        self.counted = array("d")
        self.process_names: dict[Id, str] = {}
        self.thread_names: dict[tuple[Id, Id], str] = {}
        self.other: Counter[str] = Counter()
        self.unfinished = 0

    def take(self, events: Sequence[Event]) -> None:
        """Take a batch of events in."""
        groups: defaultdict[str, list[Event]] = defaultdict(list)
        for event in events:
            groups[_GROUPS.get(event.ph, event.ph)].append(event)
        for group, found in groups.items():
            match group:
                case "slices":
                    self._take_slices(found)
                case "marks":
                    self._take_marks(found)
                case "operations":
                    self._take_operations(found)
                case "flows":
                    self._take_flows(found)
                case "counters":
                    self._take_counters(found)
                case "metadata":
                    self._take_metadata(found)
                case "instants":
                    self._take_instants(found)
                case "nothing":
                    pass
                case _:
                    self.other[group] += len(found)

    def _take_slices(self, events: Sequence[Event]) -> None:
        lengths = list(map(_dur, events))
        if not all(lengths) or _NULL in b",".join(lengths):
            whole = [
                event
                for event, dur in zip(events, map(bytes, lengths), strict=True)
                if dur.strip(_NULL)
            ]
            if len(whole) < len(events):
                self.unfinished += len(events) - len(whole)
                return self._take_slices(whole) if whole else None
        forms = self._forms.of(map(_form, events), len(events))
        kinds = self._forms.parts["kind"][forms]
        self.slices.add(
            thread=self._forms.parts["thread"][forms],
            name=self._forms.parts["name"][forms],
            kind=kinds,
            start=_times(events),
            length=_nanoseconds(events, lengths, "dur"),
            **self._arguments(events, kinds),
        )
        if any(bound := [event.bind_id is not None for event in events]):
            self._take_bound(list(compress(events, bound)), list(compress(lengths, bound)))

    def _take_bound(self, events: Sequence[Event], lengths: Sequence[msgspec.Raw] = ()) -> None:
        """Take the points of flows (version 2) that slices are, from their start to their end."""
        start = _times(events)
        length = _nanoseconds(events, list(lengths), "dur") if lengths else np.zeros_like(start)
        self.flows.add(
            group=self._flow_ids.of((("v2", event.bind_id) for event in events), len(events)),
            kind=self._kinds(events),
            name=self._names(events),
            thread=self._threads(events),
            time=start,
            until=start + np.maximum(length - 1, 0),
            step=[_FLOW_STEPS["t" if event.flow_in else "s"] for event in events],
            leaves=[bool(event.flow_out) for event in events],
            encloses=[True] * len(events),
        )

    def _take_marks(self, events: Sequence[Event]) -> None:
        self.marks.add(
            group=self._threads(events),
            name=self._names(events),
            kind=self._kinds(events),
            time=_times(events),
            begins=[event.ph == "B" for event in events],
        )
        if bound := [event for event in events if event.bind_id is not None]:
            self._take_bound(bound)

    def _take_operations(self, events: Sequence[Event]) -> None:
        self.operations.add(
            group=self._operation_ids.of(((e.cat, _identity(e)) for e in events), len(events)),
            name=self._names(events),
            kind=self._kinds(events),
            time=_times(events),
            begins=[event.ph in "bS" for event in events],
        )

    def _take_flows(self, events: Sequence[Event]) -> None:
        if self._known_links:
            self.links.update(event.cat for event in events if event.cat in self._known_links)
            events = [event for event in events if event.cat not in self._known_links]
            if not events:
                return
        times = _times(events)
        self.flows.add(
            group=self._flow_ids.of(map(_arrow, events), len(events)),
            kind=self._kinds(events),
            name=self._names(events),
            thread=self._threads(events),
            time=times,
            until=times,
            step=[_FLOW_STEPS[event.ph] for event in events],
            leaves=[event.ph != "f" for event in events],
            encloses=[event.bp == "e" or event.ph == "t" for event in events],
        )

    def _take_counters(self, events: Sequence[Event]) -> None:
        for event, time in zip(events, _times(events).tolist(), strict=True):
            for key, value in _decoded(_values, event).items():
                if isinstance(value, int | float) and abs(value) < float("inf"):
                    counter = (event.pid, event.name, _identity(event), key)
                    self.counters.append(series=self.series[counter], time=time)
                    self.counted.append(value)

    def _take_instants(self, events: Sequence[Event]) -> None:
        of_memory = [event for event in events if event.name == _MEMORY]
        self.other["i"] += len(events) - len(of_memory)
        for event, time in zip(of_memory, _times(of_memory).tolist(), strict=True):
            stated = _decoded(_memory, event)
            self.memory.append(
                device=_count(stated.device) if stated.device_type else NONE,
                time=time,
                allocated=_count(stated.allocated),
                reserved=_count(stated.reserved),
            )

    def _take_metadata(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.name in ("process_name", "thread_name"):
                name = _decoded(_args, event).name
                if name is None:
                    continue
                if event.name == "process_name":
                    self.process_names[event.pid] = _text(name)
                else:
                    self.thread_names[event.pid, event.tid] = _text(name)

    def _threads(self, events: Sequence[Event]) -> Integers:
        return self.threads.of(map(_thread, events), len(events))

    def _names(self, events: Sequence[Event]) -> Integers:
        return self.names.of(map(_called, events), len(events))

    def _kinds(self, events: Sequence[Event]) -> Integers:
        return self.kinds.of(map(_cat, events), len(events))

    def _arguments(self, events: Sequence[Event], kinds: Integers) -> dict[str, Integers]:
        """Return what links calls and what they launched, bytes, and steps; NONE where unknown."""
        linked = np.array([kind in self._linked for kind in self.kinds], bool)[kinds]
        places = np.flatnonzero(linked)
        stated = _all_args([events[at] for at in places.tolist()])
        found = {
            "correlation": [
                _count(one.correlation or one.correlation_id) or NONE for one in stated
            ],
            "size": [_bytes(one) for one in stated],
            "step": [_count(one.step_num) for one in stated],
        }
        columns = {name: np.full(len(events), NONE) for name in found}
        for name, values in found.items():
            columns[name][places] = values
        return columns


def _bytes(args: Args) -> int:
    if args.memcpy_details is None:
        return _count(args.bytes)
    size = _MOVED.search(str(args.memcpy_details))
    return int(size[1]) if size else NONE


def _count(value: Any) -> int:
    """Return a whole number, which JAX writes as text, and NONE for anything else."""
    if value is None:
        return NONE
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    return value if isinstance(value, int) and 0 <= value < _LARGEST else NONE


def _arrow(event: Event) -> tuple[Any, ...]:
    return (event.cat, event.name, _identity(event))


def _identity(event: Event) -> tuple[Id, ...]:
    """Return what distinguishes an operation, an arrow or a counter from others of its name."""
    if event.id2 is not None:
        local = event.id2.get("local")
        return (event.pid, local) if local is not None else (event.id2.get("global"),)
    return (event.scope, event.id)


def _times(events: Sequence[Event]) -> Integers:
    return _nanoseconds(events, list(map(_ts, events)), "ts")


def _nanoseconds(events: Sequence[Event], texts: list[msgspec.Raw], field: str) -> Integers:
    try:
        return nanoseconds(texts)
    except ValueError as error:
        found = next(e for e, text in zip(events, texts, strict=True) if _shown(text) in str(error))
        raise InputError(
            f"{field} is {error.args[0]!r}" if error.args[0] else f"{field} is missing",
            where=f"an event {found.ph} named {_text(found.name)[:60]!r}",
            expected="a time in microseconds",
        ) from None


def _shown(text: msgspec.Raw) -> str:
    return bytes(text)[:40].decode("utf-8", "replace")


def _all_args(events: Sequence[Event]) -> list[Args]:
    """Return the arguments of events, decoded at once; raise `InputError` where they are wrong."""
    texts = b",".join([event.args or b"{}" for event in events])
    try:
        return _many_args.decode(b"[%b]" % texts)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return [_decoded(_args, event) for event in events]


def _decoded(decoder: msgspec.json.Decoder[Any], event: Event) -> Any:
    text = bytes(event.args) or b"{}"
    try:
        return decoder.decode(text)
    except (msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"the args of an event are not as expected ({error})",
            where=f"an event {event.ph} named {_text(event.name)[:60]!r}",
        ) from None


def _text(name: Id) -> str:
    return "" if name is None else str(name)
