"""Profiles of the Firefox Profiler: as it saves them, as Firefox writes them, and of samply.

Source: github.com/firefox-devtools/profiler, docs-developer, "Processed profile format" and "Gecko
profile format", and src/types/profile.js. The profile is taken as the profiler shows it: a sample
stands for one interval, also of a thread that waits, unless it has a weight of its own in
milliseconds or bytes. `thread` is the thread's id, or its place where that is no number.
Markers are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ingest.base import Item, LeftOut, Run, implausible
from ingest.parsing.call_paths import frame_name
from ingest.parsing.json_values import checked, field
from ingest.readers.profiles.sampling.stacks import Measure, Stacks, check_weight, located
from warehouse.errors import InputError

_MILLISECONDS = 1e3


def items(document: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the run and its rows."""
    meta = field(document, "meta", dict, "the file")
    yield _run(meta)
    interval = meta.get("interval")
    profile = _Profile(interval if isinstance(interval, float) and interval > 0 else None)
    for number, (thread, tables) in enumerate(_threads(document)):
        profile.take(thread, tables, number)
    yield from profile.items()


def _run(meta: Mapping[str, Any]) -> Run:
    start, begin, end = (
        value if isinstance(value := meta.get(name), float) else None
        for name in ("startTime", "profilingStartTime", "profilingEndTime")
    )
    facts: dict[str, Any] = {}
    if begin is not None and end is not None:
        facts["wall_seconds"] = (end - begin) / _MILLISECONDS
    if start is not None and 0 < start < 1e13:
        facts["started_at"] = datetime.fromtimestamp((start + (begin or 0.0)) / _MILLISECONDS, UTC)
    product, imported = meta.get("product"), meta.get("importedFrom")
    recorder = imported if isinstance(imported, str) and imported else "Firefox Profiler"
    return Run(
        app=product if isinstance(product, str) and product else None,
        tags={"recorder": recorder},
        **{name: value for name, value in facts.items() if not implausible({name: value})},
    )


def _threads(document: Mapping[str, Any]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Yield the threads of all processes, each with the tables that all share."""
    shared = document.get("shared")
    pending = [document]
    while pending:
        process = checked(pending.pop(0), dict, "a process", "processes")
        threads = process.get("threads") or []
        for thread in checked(threads, list, "threads", "a process") if threads else ():
            yield thread, shared if isinstance(shared, dict) else {}
        inner = process.get("processes") or []
        pending += inner if isinstance(inner, list) else []


class _Profile:
    """Adds up the threads."""

    def __init__(self, interval: float | None) -> None:
        self._interval = interval
        self._stacks = Stacks()
        self._time = Measure("time", per_second=_MILLISECONDS)
        self._samples = Measure("samples", "samples")
        self._bytes = Measure("weight", "bytes")
        self._without = self._markers = 0
        self._taken: set[int] = set()

    def take(self, thread: Any, shared: Mapping[str, Any], number: int) -> None:
        """Add a thread; raise `InputError` where its tables do not fit."""
        where = f"thread {number}"
        samples = _Table(field(thread, "samples", dict, where), f"{where}, samples")
        paths = _Paths(_Tables(thread, shared, where), self._stacks)
        place = self._number(thread.get("tid"), number)
        kind = samples.fields.get("weightType") or "samples"
        weights = samples.column("weight", required=False)
        markers = _Table(thread.get("markers") or {}, f"{where}, markers")
        self._markers += len(markers.column("data", required=False) or ())
        for row, stack in enumerate(samples.column("stack") or ()):
            at = f"{where}, sample {row}"
            stated = weights[row] if weights and row < len(weights) else None
            weight = 1.0 if stated is None else checked(stated, float, "the weight", at)
            if stack is None:
                self._without += 1
            else:
                self._add(str(kind), (place, paths.of(stack, at)), check_weight(weight, at))

    def items(self) -> Iterator[Item]:
        """Yield the rows, and what was left out."""
        yield from self._stacks.items([self._time, self._samples, self._bytes])
        yield LeftOut(self._without, "sample", "without a stack")
        yield LeftOut(self._markers, "marker", "no sample")

    def _add(self, kind: str, key: tuple[int, int], weight: float) -> None:
        if kind == "samples":
            self._samples.sums[key] += weight
            if self._interval is not None:
                self._time.sums[key] += weight * self._interval
        elif kind == "tracing-ms":
            self._time.sums[key] += weight
        elif kind == "bytes":
            self._bytes.sums[key] += weight
        else:
            raise InputError(f"the weights are {kind!r}", expected="samples, tracing-ms or bytes")

    def _number(self, tid: Any, place: int) -> int:
        """Return the number of a thread, which no other has."""
        try:
            number = int(tid)
        except (TypeError, ValueError, OverflowError):
            number = place
        if number in self._taken or not 0 <= number < 1 << 63:
            number = max(self._taken, default=-1) + 1
        self._taken.add(number)
        return number


class _Table:
    """A table of either form: lists by column, or rows with a schema."""

    def __init__(self, fields: Mapping[str, Any], where: str) -> None:
        self.fields = fields
        self._where = where

    def column(self, name: str, *, required: bool = True) -> list[Any] | None:
        """Return a column; None where it is missing and not required."""
        schema, found = self.fields.get("schema"), self.fields.get(name)
        if isinstance(schema, dict):
            rows, at = self.fields.get("data"), schema.get(name)
            if isinstance(rows, list) and isinstance(at, float):
                # Rows end where what follows is null.
                place = int(at)
                found = [
                    row[place] if isinstance(row, list) and place < len(row) else None
                    for row in rows
                ]
        if not isinstance(found, list):
            if required:
                raise InputError(
                    f"the column {name} is missing", where=self._where, expected="a list"
                )
            return None
        return found


class _Tables:
    """Finds the tables of a thread, which newer versions have for all threads together."""

    def __init__(self, thread: Mapping[str, Any], shared: Mapping[str, Any], where: str) -> None:
        self._thread = thread
        self._shared = shared
        self._where = where

    def table(self, name: str) -> _Table:
        """Return a table; raise `InputError` if there is none."""
        found = self._find(name)
        return _Table(checked(found, dict, name, self._where), f"{self._where}, {name}")

    def texts(self) -> Sequence[Any]:
        """Return the table of strings."""
        for name in ("stringArray", "stringTable"):
            found = self._find(name)
            if isinstance(found, dict):
                found = found.get("_array")
            if isinstance(found, list):
                return found
        raise InputError("there is no table of strings", where=self._where, expected="stringArray")

    def optional(self, name: str) -> Any:
        """Return what there is under a name, or None."""
        return self._find(name)

    def _find(self, name: str) -> Any:
        own = self._thread.get(name)
        return self._shared.get(name) if own is None else own


class _Paths:
    """The call paths of a thread's stacks."""

    def __init__(self, tables: _Tables, stacks: Stacks) -> None:
        self._stacks = stacks
        stack = tables.table("stackTable")
        self._frame = stack.column("frame") or []
        self._prefix = stack.column("prefix") or []
        self._names = _frame_names(tables)
        self._known: dict[float, int] = {}

    def of(self, stack: Any, where: str) -> int:
        """Return the number of the path of a stack; raise `InputError` where it is damaged."""
        stack = checked(stack, float, "the stack", where)
        if stack not in self._known:
            names: list[str] = []
            at: Any = stack
            while at is not None:
                frame = _entry(self._frame, at, "stack", where)
                names.append(_entry(self._names, frame, "frame", where))
                at = _entry(self._prefix, at, "stack", where)
                if len(names) > len(self._frame):
                    raise InputError(f"the stack {stack:g} is above itself", where=where)
            self._known[stack] = self._stacks.path(names[::-1])
        return self._known[stack]


def _frame_names(tables: _Tables) -> list[str]:
    """Return the name of the function of each frame."""
    frames, texts = tables.table("frameTable"), tables.texts()
    locations = frames.column("location", required=False)
    if locations is not None:
        return [_text(texts, at) for at in locations]
    functions = tables.table("funcTable")
    names = functions.column("name") or []
    files = _files(tables, functions, texts, len(names))
    scripts = functions.column("isJS", required=False) or [False] * len(names)
    labels = []
    for name, file, script in zip(names, files, scripts, strict=False):
        text = _text(texts, name)
        labels.append(located(text, file) if script else frame_name(text))
    return [_entry(labels, at, "function", "frameTable") for at in frames.column("func") or ()]


def _files(
    tables: _Tables, functions: _Table, texts: Sequence[Any], count: int
) -> Sequence[str | None]:
    """Return the file of each function: newer versions have a table of sources."""
    files = functions.column("fileName", required=False)
    if files is None:
        sources = tables.optional("sources")
        column = functions.column("source", required=False)
        if not isinstance(sources, dict) or column is None:
            return [None] * count
        names = _Table(sources, "sources").column("filename") or []
        files = [None if at is None else _entry(names, at, "source", "funcTable") for at in column]
    return [None if at is None else _text(texts, at) for at in files]


def _text(texts: Sequence[Any], at: Any) -> str:
    found = _entry(texts, at, "string", "a table")
    return found if isinstance(found, str) else ""


def _entry(column: Sequence[Any], at: Any, what: str, where: str) -> Any:
    if not (isinstance(at, float) and at.is_integer() and 0 <= at < len(column)):
        raise InputError(
            f"there is no {what} {at}", where=where, expected=f"0 to {len(column) - 1}"
        )
    return column[int(at)]
