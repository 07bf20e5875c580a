"""StarPU's paje.trace: states of the workers, and messages between ranks, as columns.

Only worker states (type WS), MPI links (type MPIL) and the declarations of workers (type W) are
looked at. Everything else, also events of containers that were never declared, is skipped:
StarPU itself writes such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.parsing.lines import chunks, numbered_lines
from ingest.readers.tasks.starpu.rec import line_array, refuse_first, to_ns
from ingest.recording import Recording
from warehouse.errors import InputError

# States in which the runtime itself works, by their short names in the trace. Fetching input is
# waiting for data, and a task that submits others is the program's own work.
RUNTIME_STATES = {
    "B": "Overhead",
    "C": "Callback",
    "P": "Progressing",
    "Po": "PushingOutput",
    "Sc": "Scheduling",
}
_SHORT = list(RUNTIME_STATES)
_WRITTEN = [*_SHORT, *(f'"{name}"' for name in _SHORT)]
_STATE = ["Time", "Container", "Type", "Value"]
_LINK = ["Time", "Type", "Container", "Value"]
_FIELDS = {
    "PajeSetState": _STATE,
    "PajePushState": _STATE,
    "PajePopState": _STATE[:3],
    "PajeStartLink": [*_LINK, "StartContainer", "Key"],
    "PajeEndLink": [*_LINK, "EndContainer", "Key"],
    "PajeCreateContainer": ["Time", "Alias", "Type"],
}
_STEPS = {"PajeSetState": 0, "PajePushState": 1, "PajePopState": -1}
_TEXT, _INT = pa.string(), pa.int64()
_STATES = {"time": _INT, "worker": _TEXT, "step": pa.int8(), "state": pa.int32()}
_LINKS = {"time": _INT, "container": _TEXT, "key": _TEXT, "tag": _INT, "bytes": _INT}
_LINE = r"^(?:%.*|\d+\s.*|\s*)\n$"


@dataclass(frozen=True, slots=True)
class Paje:
    """Content of the trace; times in ns on the trace's clock.

    `states` has time, worker, step (1 push, 0 set, -1 pop) and state (a position in
    RUNTIME_STATES, NULL for all others), in the file's order; `sends` and `receives` have time,
    container, key, tag (NULL where not given) and bytes.
    """

    workers: list[str]
    states: pa.Table
    sends: pa.Table
    receives: pa.Table


@dataclass(slots=True)
class _Codes:
    """The numbers of the events that matter by name, and the place of a number's MPI tag."""

    events: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in _FIELDS})
    with_task: list[str] = field(default_factory=list)
    tag_at: dict[str, int] = field(default_factory=dict)


def read_paje(recording: Recording, part: Path) -> Paje:
    """Read a trace piece by piece; raises `InputError` with the line that is not as it should."""
    codes = _definitions(recording, part)
    workers: list[str] = []
    states, sends, receives = [_empty(_STATES)], [_empty(_LINKS)], [_empty(_LINKS)]
    for lines, numbers in _blocks(recording, part):
        made = _Tokens(lines, numbers, codes.events["PajeCreateContainer"], r"\S+\s+\S+\s+W\s")
        workers += made.column(2).to_pylist()
        states.append(_states(lines, numbers, codes, part))
        sends.append(_links(lines, numbers, codes, codes.events["PajeStartLink"], part))
        receives.append(_links(lines, numbers, codes, codes.events["PajeEndLink"], part))
    whole = [pa.concat_tables(tables).combine_chunks() for tables in (states, sends, receives)]
    return Paje(list(dict.fromkeys(workers)), *whole)


def _empty(columns: dict[str, pa.DataType]) -> pa.Table:
    return pa.table({name: pa.array([], kind) for name, kind in columns.items()})


def _definitions(recording: Recording, part: Path) -> _Codes:
    """Read the %EventDef blocks at the top of the file."""
    codes = _Codes()
    name, code, fields = "", "", list[str]()
    for number, line in numbered_lines(recording, part):
        words = line.lstrip("%").split()
        if not line.startswith("%"):
            break
        if words[:1] == ["EventDef"] and len(words) == 3:
            name, code, fields = words[1], words[2], []
        elif words[:1] == ["EndEventDef"]:
            _take(codes, name, code, fields, f"line {number}", part)
        elif words:
            fields.append(words[0])
    if not codes.events["PajeSetState"]:
        raise InputError(
            "the trace defines no event PajeSetState",
            path=str(part),
            expected="a trace as starpu_fxt_tool writes it, with its %EventDef lines",
        )
    return codes


def _take(codes: _Codes, name: str, code: str, fields: list[str], where: str, part: Path) -> None:
    expected = _FIELDS.get(name)
    if expected is None:
        return
    if fields[: len(expected)] != expected or not code.isdecimal():
        raise InputError(
            f"the event {name} is defined with the fields {', '.join(fields)}",
            path=str(part),
            where=where,
            expected=", ".join(expected) + ", as StarPU writes it",
        )
    codes.events[name].append(code)
    if "JobId" in fields:
        codes.with_task.append(code)
    if "MPITAG" in fields:
        codes.tag_at[code] = fields.index("MPITAG") + 1


def _blocks(recording: Recording, part: Path) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield the lines piece by piece, with their numbers."""
    for chunk in chunks(recording, part):
        if not chunk.whole:
            raise InputError(
                "the last line has no end, so the file was cut off",
                path=chunk.path,
                where=f"line {chunk.line_at(len(chunk.data))}",
                hint="Copy the file again, or run starpu_fxt_tool again.",
            )
        found = line_array(chunk, _LINE, "an event: a number and its fields")
        yield found, pa.array(np.arange(chunk.first, chunk.first + len(found)))


class _Tokens:
    """The words of those lines that begin with one of some numbers and go on as `rest`."""

    def __init__(self, lines: pa.Array, numbers: pa.Array, codes: Sequence[str], rest: str) -> None:
        keep = pc.match_substring_regex(lines, rf"^(?:{'|'.join(codes) or '-'})\s+{rest}")
        self.numbers = numbers.filter(keep)
        words = pc.ascii_split_whitespace(pc.ascii_trim_whitespace(lines.filter(keep)))
        offsets = words.offsets.to_numpy()
        self._words, self._first, self._count = words.values, offsets[:-1], np.diff(offsets)

    def column(self, position: int) -> pa.Array:
        """Return the words at a position, NULL where the line is shorter."""
        return self._words.take(pa.array(self._first + position, mask=self._count <= position))


def _states(lines: pa.Array, numbers: pa.Array, codes: _Codes, part: Path) -> pa.Table:
    events = {code: step for name, step in _STEPS.items() for code in codes.events[name]}
    tokens = _Tokens(lines, numbers, list(events), r"\S+\s+\S+\s+WS\s")
    code, value = tokens.column(0), tokens.column(4)
    step = pa.array(list(events.values()), pa.int8()).take(
        pc.index_in(code, pa.array(list(events), _TEXT))
    )
    nameless = pc.and_(pc.greater_equal(step, 0), pc.is_null(value))
    refuse_first(nameless, code, tokens.numbers, "an event of a state", part, "the state's name")
    # Not made at import: the first array looks for pandas, which takes long to import.
    state = pc.index_in(value, pa.array(_WRITTEN))
    # A task may be called like a state of the runtime; the event with its JobId decides.
    state = pc.if_else(pc.is_in(code, pa.array(codes.with_task, _TEXT)), None, state)
    state = pc.if_else(pc.greater_equal(state, len(_SHORT)), pc.subtract(state, len(_SHORT)), state)
    time = to_ns(tokens.column(1), tokens.numbers, "the time", part)
    return pa.table([time, tokens.column(2), step, pc.cast(state, pa.int32())], list(_STATES))


def _links(
    lines: pa.Array, numbers: pa.Array, codes: _Codes, own: list[str], part: Path
) -> pa.Table:
    tokens = _Tokens(lines, numbers, own, r"\S+\s+MPIL\s")
    code = tokens.column(0)
    short = pc.is_null(tokens.column(6))
    refuse_first(short, code, tokens.numbers, "an event of a message", part, "its key")
    tag = pa.nulls(len(code), _TEXT)
    for number, position in codes.tag_at.items():
        tag = pc.if_else(pc.equal(code, number), tokens.column(position), tag)
    for what, values in (("the MPI tag", tag), ("the size", tokens.column(4))):
        whole = pc.fill_null(pc.match_substring_regex(values, r"^-?\d{1,18}$"), True)
        refuse_first(pc.invert(whole), values, tokens.numbers, what, part, "a whole number")
    time = to_ns(tokens.column(1), tokens.numbers, "the time", part)
    columns = [time, tokens.column(5), tokens.column(6), pc.cast(tag, _INT)]
    return pa.table([*columns, pc.cast(tokens.column(4), _INT)], list(_LINKS))
