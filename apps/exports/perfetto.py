"""Perfetto's own trace format: track events of tasks, runtime work and idle time, and counters.

Source: perfetto.dev, "Synthetic Track Event", and trace_packet.proto, track_event.proto,
track_descriptor.proto. Nodes are processes and workers threads; what the runtime did and why a
worker idled are tracks below its own. Names are interned.
"""

from __future__ import annotations

from collections.abc import Iterator

from apps.exports import Exported
from apps.exports.chrome import check_no_event
from apps.exports.protobuf import double, fixed64, message, number, text
from apps.exports.timeline import TASK, Counter, Slice, Timeline, Track, timeline
from ingest.parsing.carried_tables import FIELD, MARK
from warehouse.session import Connection

_PACKET = 1
# Fields of a TracePacket.
_TIMESTAMP, _SEQUENCE, _TRACK_EVENT, _INTERNED, _FLAGS, _DESCRIPTOR = 8, 10, 11, 12, 13, 60
_CLEARED, _NEEDED = 1, 2
# Fields of a TrackDescriptor, and of its process, thread and counter.
_UUID, _NAME, _PROCESS, _THREAD, _PARENT, _COUNTER = 1, 2, 3, 4, 5, 8
_PID, _TID, _THREAD_NAME, _PROCESS_NAME, _UNIT_NAME = 1, 2, 5, 6, 6
# Fields of a TrackEvent.
_CATEGORY_IID, _ANNOTATION, _TYPE, _NAME_IID, _TRACK = 3, 4, 9, 10, 11
_VALUE, _SENDS, _RECEIVES = 44, 47, 48
_BEGIN, _END, _COUNT = 1, 2, 4
_ANNOTATION_NAME, _ANNOTATION_INT = 10, 4
_CATEGORIES, _NAMES = 1, 2
_IID, _INTERNED_NAME = 1, 2


def export(con: Connection, run_id: str, event: str | None) -> Exported:
    """Return a run's timeline; see `apps.exports.export_run`."""
    check_no_event(event)
    return Exported(_Trace().packets(timeline(con, run_id)), [])


class _Trace:
    """Writes packets of one sequence, whose names are numbered as they are met."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._categories: dict[str, int] = {}
        self._uuid = 0

    def packets(self, whole: Timeline) -> Iterator[bytes]:
        """Yield the trace in pieces: descriptors before what happens on their tracks."""
        yield from (message(_PACKET, message(FIELD, MARK + stream)) for stream in whole.carried)
        yield _packet(flags=_CLEARED)
        nodes: dict[str, tuple[int, int]] = {}
        workers: dict[tuple[str, str], int] = {}
        for track in whole.tracks:
            if track.node not in nodes:
                nodes[track.node] = self._next(), len(nodes) + 1
                yield _process(*nodes[track.node], track.node)
            node, pid = nodes[track.node]
            worker = track.node, track.worker
            if track.kind == TASK and track.lane == 0:
                workers[worker] = uuid = self._next()
                yield _thread(uuid, node, pid, len(workers) + len(whole.tracks), track.name)
            else:
                uuid = self._next()
                name = track.kind if track.kind != TASK else track.name
                yield _descriptor(uuid, workers.get(worker, node), text(_NAME, name))
            yield from self._slices(track, uuid)
        for counter in whole.counters:
            yield from self._counter(counter)

    def _next(self) -> int:
        self._uuid += 1
        return self._uuid

    def _slices(self, track: Track, uuid: int) -> Iterator[bytes]:
        for one in track.slices:
            category, name, interned = self._interned(track.kind, one.name)
            begin = message(
                _TRACK_EVENT,
                number(_TYPE, _BEGIN),
                number(_TRACK, uuid),
                number(_CATEGORY_IID, category),
                number(_NAME_IID, name),
                *_details(one),
            )
            end = message(_TRACK_EVENT, number(_TYPE, _END), number(_TRACK, uuid))
            yield _packet(number(_TIMESTAMP, one.start), interned, begin) + _packet(
                number(_TIMESTAMP, one.end), end
            )

    def _interned(self, kind: str, name: str) -> tuple[int, int, bytes]:
        """Return the numbers of a category and a name, and the field that introduces new ones."""
        new = []
        for known, value, field in (
            (self._categories, kind, _CATEGORIES),
            (self._names, name, _NAMES),
        ):
            if value not in known:
                known[value] = len(known) + 1
                new.append(message(field, number(_IID, known[value]), text(_INTERNED_NAME, value)))
        interned = message(_INTERNED, *new) if new else b""
        return self._categories[kind], self._names[name], interned

    def _counter(self, counter: Counter) -> Iterator[bytes]:
        uuid = self._next()
        unit = message(_COUNTER, text(_UNIT_NAME, counter.unit) if counter.unit else b"")
        yield _descriptor(uuid, None, text(_NAME, counter.name), unit)
        for time, value in counter.points:
            event = message(
                _TRACK_EVENT,
                number(_TYPE, _COUNT),
                number(_TRACK, uuid),
                double(_VALUE, value),
            )
            yield _packet(number(_TIMESTAMP, time), event)


def _details(one: Slice) -> Iterator[bytes]:
    for cause, ns in one.causes.items():
        yield message(
            _ANNOTATION, text(_ANNOTATION_NAME, f"{cause} (ns)"), number(_ANNOTATION_INT, ns)
        )
    # The number 0 is none.
    yield from (fixed64(_SENDS, arrow + 1) for arrow in one.sends)
    yield from (fixed64(_RECEIVES, arrow + 1) for arrow in one.receives)


def _process(uuid: int, pid: int, name: str) -> bytes:
    process = message(_PROCESS, number(_PID, pid), text(_PROCESS_NAME, name))
    return _descriptor(uuid, None, process)


def _thread(uuid: int, node: int, pid: int, tid: int, name: str) -> bytes:
    thread = message(_THREAD, number(_PID, pid), number(_TID, tid), text(_THREAD_NAME, name))
    return _descriptor(uuid, node, thread)


def _descriptor(uuid: int, parent: int | None, *parts: bytes) -> bytes:
    above = b"" if parent is None else number(_PARENT, parent)
    return _packet(message(_DESCRIPTOR, number(_UUID, uuid), above, *parts))


def _packet(*parts: bytes, flags: int = _NEEDED) -> bytes:
    return message(_PACKET, number(_SEQUENCE, 1), number(_FLAGS, flags), *parts)
