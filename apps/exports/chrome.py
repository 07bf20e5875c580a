"""Chrome's trace event format: tasks on their workers, the arrows between them, and counters.

Source: "Trace Event Format" (Chromium project). Times are decimal us with three digits, so that no
ns is lost. Runtime work and the causes of idle time are left to Perfetto's own format: whatever
reads a Chrome trace would take them for work of the program.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from apps.exports import Exported
from apps.exports.timeline import TASK, Slice, Timeline, Track, timeline
from warehouse.errors import UsageError
from warehouse.session import Connection

_BATCH = 4096


def export(con: Connection, run_id: str, event: str | None) -> Exported:
    """Return a run's timeline; see `apps.exports.export_run`."""
    check_no_event(event)
    whole = timeline(con, run_id)
    left_out = sum(len(track.slices) for track in whole.tracks if track.kind != TASK)
    notes = []
    if left_out:
        notes.append(f"{left_out} idle and runtime intervals are left out; --to perfetto has them")
    return Exported(_document(run_id, whole), notes)


def check_no_event(event: str | None) -> None:
    """Raise `UsageError` for --event, which is for profiles."""
    if event is not None:
        raise UsageError("a timeline has no single event", hint="Leave --event out.")


def _document(run_id: str, whole: Timeline) -> Iterator[bytes]:
    """Yield the document in pieces, one event a line."""
    yield b'{"displayTimeUnit":"ns","otherData":{"run":%b},"traceEvents":[\n' % _json(run_id)
    lines: list[bytes] = []
    begun = False
    for line in _events(whole):
        lines.append(line)
        if len(lines) == _BATCH:
            yield (b",\n" if begun else b"") + b",\n".join(lines)
            lines, begun = [], True
    yield (b",\n" if begun and lines else b"") + b",\n".join(lines)
    slices = sum(len(track.slices) for track in whole.tracks if track.kind == TASK)
    tables = b",\n".join(b'"%b"' % b64encode(stream) for stream in whole.carried)
    yield b'\n],"pwh":{"slices":%d,"tables":[\n%b]}}\n' % (slices, tables)


def _events(whole: Timeline) -> Iterator[bytes]:
    tracks = [track for track in whole.tracks if track.kind == TASK]
    nodes = {node: place for place, node in enumerate(dict.fromkeys(t.node for t in tracks), 1)}
    for node, pid in nodes.items():
        yield _json({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": node}})
    for tid, track in enumerate(tracks, 1):
        where = {"pid": nodes[track.node], "tid": tid}
        yield _json({"ph": "M", "name": "thread_name", **where, "args": {"name": track.name}})
        yield from _slices(track, where)
    yield from _counters(whole)


def _slices(track: Track, where: dict[str, int]) -> Iterator[bytes]:
    place = b'"pid":%d,"tid":%d' % (where["pid"], where["tid"])
    for one in track.slices:
        at, length = _us(one.start), _us(one.end - one.start)
        yield b'{"ph":"X","name":%b,%b,"ts":%b,"dur":%b}' % (_json(one.name), place, at, length)
        for arrow in one.receives:
            yield _flow(b"f", arrow, place, one.start)
        for arrow in one.sends:
            yield _flow(b"s", arrow, place, _sent(one))


def _sent(one: Slice) -> int:
    """Return the last moment that is inside a slice: at its end the next one may have begun."""
    return max(one.start, one.end - 1)


def _flow(phase: bytes, arrow: int, place: bytes, time: int) -> bytes:
    return b'{"ph":"%b","bp":"e","cat":"dependence","name":"dependence","id":%d,%b,"ts":%b}' % (
        phase,
        arrow,
        place,
        _us(time),
    )


def _counters(whole: Timeline) -> Iterator[bytes]:
    for counter in whole.counters:
        name = _json(counter.name)
        for time, value in counter.points:
            yield b'{"ph":"C","name":%b,"pid":0,"ts":%b,"args":{%b:%b}}' % (
                name,
                _us(time),
                _json(counter.unit or "value"),
                _json(value),
            )


def _us(time: int) -> bytes:
    return b"%d.%03d" % divmod(time, 1000)


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
