"""HPCToolkit databases of version 4 (from 2022 on): values of threads by context.

Source: doc/FORMATS.md of HPCToolkit: "profile.db version 4.0" and "meta.db version 4.0".
Values with callees are in the file for each context; what a function has itself is the part of it
that the functions below it do not have. Summaries over threads are left alone. `rank` and `thread`
are the thread's RANK and THREAD; what was measured on GPUs has no thread, and is added up for each
rank.
"""

from __future__ import annotations

import mmap
import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from ingest.base import Item, Run
from ingest.compressed import path_text
from ingest.parsing.call_paths import (
    BELOW_ZERO,
    UNKNOWN,
    CallPaths,
    below_zero,
    frame_name,
    own_part,
)
from ingest.readers.profiles.hpctoolkit.rows import Metric, PathRows, Place, metric_of
from ingest.recording import Recording
from udfs.arrays import Floats, Integers
from warehouse.errors import InputError

_MAGIC = b"HPCTOOLKIT"
_VERSION = 4
_GENERAL, _ID_NAMES, _METRICS, _CONTEXTS = 0x10, 0x20, 0x30, 0x40  # sections in the header
_EXECUTION = 2  # the scope of values that callees are part of
_FUNCTION = 0  # the lexical type of a context
_CONTEXT = struct.Struct("<QQIBBBB")
_CONTEXT_SIZE = 0x20


class Structures:
    """The bytes of a file, and the structures in them; wrong places raise `InputError`."""

    def __init__(self, data: Any, kind: bytes) -> None:
        self.data = data
        header = bytes(data[:16])
        if header[:14] != _MAGIC + kind or header[14] != _VERSION:
            raise InputError(
                f"the file begins with {header!r}",
                expected=f"{(_MAGIC + kind).decode()} and version {_VERSION}",
                hint="Was the database made by hpcprof of 2022 or later?",
            )
        if bytes(data[-8:]) != b"_" + kind + b".db":
            raise InputError(
                "the end is missing",
                expected=f"_{kind.decode()}.db at the end of the file",
                hint="The file is cut off: copy it again.",
            )

    def at(self, place: int, form: str) -> tuple[Any, ...]:
        """Return the little-endian values of a structure."""
        try:
            return struct.unpack_from("<" + form, self.data, place)
        except (struct.error, OverflowError):
            raise self.outside(place) from None

    def text(self, place: int) -> str:
        """Return the text at a place, which ends with a zero byte."""
        end = self.data.find(b"\0", place)
        if not 0 <= place < len(self.data) or end < 0:
            raise self.outside(place)
        try:
            return bytes(self.data[place:end]).decode()
        except UnicodeDecodeError:
            raise InputError("a name is not UTF-8", where=f"byte {place}") from None

    def outside(self, place: int) -> InputError:
        """Return the error of a place that is not in the file."""
        return InputError(
            f"something refers to byte {place} of {len(self.data)}",
            expected="places within the file",
            hint="The file is damaged: copy it again.",
        )


@dataclass(slots=True)
class Meta:
    """Content of a meta.db.

    `metrics` are those with callees by the number that their values have, `contexts` the number of
    the call path of each context that is a function, `kinds` the names of what numbers a thread.
    """

    title: str
    kinds: list[str]
    metrics: dict[int, Metric]
    paths: CallPaths = field(default_factory=CallPaths)
    contexts: dict[int, int] = field(default_factory=dict)


def read(data: bytes) -> Meta:
    """Read a meta.db; raises `InputError` where it is damaged."""
    file = Structures(data, b"meta")
    general, names = (file.at(section + 8, "Q")[0] for section in (_GENERAL, _ID_NAMES))
    place, count = file.at(names, "QB")
    kinds = [file.text(file.at(place + 8 * number, "Q")[0]) for number in range(count)]
    meta = Meta(file.text(file.at(general, "Q")[0]), kinds, _metrics(file))
    _read_contexts(file, meta)
    if not meta.contexts or not meta.metrics:
        raise InputError(
            "there are no contexts, or no metrics with callees",
            expected="entry points, and a metric whose scope is execution",
        )
    return meta


def _metrics(file: Structures) -> dict[int, Metric]:
    section = file.at(_METRICS + 8, "Q")[0]
    first, count, size, instance_size = file.at(section, "QIBB")
    found: dict[int, Metric] = {}
    for place in range(first, first + count * size, size or 1):
        name, instances, _, number = file.at(place, "QQQH")
        for at in range(instances, instances + number * instance_size, instance_size or 1):
            scope, identity = file.at(at, "QH")
            if file.at(scope, "QB")[1] == _EXECUTION:
                found[identity] = metric_of(file.text(name))
    return found


def _read_contexts(file: Structures, meta: Meta) -> None:
    """Number the call paths of all contexts, from the entry points down."""
    names: dict[int, str] = {}
    section = file.at(_CONTEXTS + 8, "Q")[0]
    first, count, size = file.at(section, "QHB")
    waiting: list[tuple[int, int, int]] = []
    for place in range(first, first + count * size, size or 1):
        length, children, identity, _, name = file.at(place, "QQIH2xQ")
        meta.contexts[identity] = meta.paths.below(-1, frame_name(file.text(name)))
        waiting.append((children, length, meta.contexts[identity]))
    most = len(file.data) // _CONTEXT_SIZE
    while waiting:
        place, length, above = waiting.pop()
        end = place + length
        while place < end:
            most -= 1
            if most < 0:
                raise InputError("a context is below itself", where=f"byte {place}")
            below, size, context, code = _context(file, place, above, names, meta)
            if code != above:
                meta.contexts[context] = code
            if size:
                waiting.append((below, size, code))
            place += _CONTEXT_SIZE + 8 * file.data[place + 0x17]


def _context(
    file: Structures, place: int, above: int, names: dict[int, str], meta: Meta
) -> tuple[int, int, int, int]:
    """Return a context's children and their size, its number, and that of its call path."""
    try:
        size, children, context, flags, _, kind, words = _CONTEXT.unpack_from(file.data, place)
    except (struct.error, OverflowError):
        raise file.outside(place) from None
    if kind != _FUNCTION:
        return children, size, context, above
    name = UNKNOWN
    if flags & 1 and words:
        function = file.at(place + _CONTEXT_SIZE, "Q")[0]
        if function not in names:
            names[function] = _name(file, function)
        name = names[function]
    return children, size, context, meta.paths.below(above, name)


def _name(file: Structures, place: int) -> str:
    """Return the name of a function, else the load module or the file that it is in."""
    name, module, _, source = file.at(place, "QQQQ")
    if name:
        return frame_name(file.text(name))
    within = module or source
    path = file.text(file.at(within + 8, "Q")[0]) if within else ""
    return frame_name(f"[{PurePath(path).name}]") if path else UNKNOWN


_PROFILES = 0x10
_SUMMARY = 1
_ROUNDING = 1e-9  # of values that were added up, relative to the largest
_LIMIT = 4 << 30


def items(recording: Recording) -> Iterator[Item]:
    """Yield one run and its rows; see `Reader.read`."""
    profile = recording.part("profile.db")
    if profile is None:
        raise InputError(
            "there is no profile.db next to it",
            expected="meta.db and profile.db in one folder",
            hint="Copy the whole folder.",
        )
    with recording.open() as file:
        meta = read(file.read(_LIMIT))
    with Path(recording.plain(profile)).open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if _size(file) else b""
        try:
            yield from _items(meta, Structures(data, b"prof"))
        except InputError as error:
            error.path = error.path or path_text(profile)
            raise
        finally:
            if isinstance(data, mmap.mmap):
                data.close()


def _size(file: Any) -> int:
    return int(file.seek(0, 2))


def _items(meta: Meta, file: Structures) -> Iterator[Item]:
    places, nodes = _places(meta, file)
    ranks = {rank for rank, _ in places if rank is not None}
    threads = {thread for _, thread in places if thread is not None}
    facts = Run(
        app=meta.title or None,
        nodes=len(nodes) or None,
        ranks=len(ranks) or None,
        threads=max(threads) + 1 if threads else None,
        tags={"recorder": "HPCToolkit"},
    )
    yield facts
    rows = PathRows(meta.paths, meta.metrics.values(), len(ranks) or None)
    above = np.array(meta.paths.above, np.int64)
    functions = np.array(sorted(meta.contexts.items()), np.int64).reshape(-1, 2)
    notes: dict[str, None] = {}
    for place, profiles in places.items():
        sums: defaultdict[int, Floats] = defaultdict(lambda: np.zeros(rows.size))
        for profile in profiles:
            path, number, value = _values(file, profile, functions)
            for metric in np.unique(number).tolist():
                at = (number == metric) & (path >= 0)
                sums[metric] += np.bincount(path[at], value[at], rows.size)
        for metric, name in meta.metrics.items():
            if metric in sums:
                whole = sums[metric]
                own = own_part(whole, above, _ROUNDING * float(whole.max(initial=0)))
                if note := below_zero(name.name, own):
                    notes[note] = None
                yield from rows.of(name, own, whole, place)
    rows.check()
    if notes:
        yield Run(tags={BELOW_ZERO: "; ".join(notes)})


def _places(meta: Meta, file: Structures) -> tuple[dict[Place, list[int]], set[int]]:
    """Return the profiles of threads by rank and thread, and the nodes that they ran on."""
    first, count, size = file.at(file.at(_PROFILES + 8, "Q")[0], "QIB")
    places: dict[Place, list[int]] = {}
    nodes: set[int] = set()
    for profile in range(first, first + count * size, size or 1):
        identity, flags = file.at(profile + 0x20, "QI")
        if flags & _SUMMARY:
            continue
        numbers: dict[str, int] = {}
        for number in range(file.at(identity, "H")[0] if identity else 0):
            kind, logical, physical = file.at(identity + 8 + 16 * number, "B3xIQ")
            if kind < len(meta.kinds):
                numbers[meta.kinds[kind]] = physical if meta.kinds[kind] == "NODE" else logical
        if "NODE" in numbers:
            nodes.add(numbers["NODE"])
        places.setdefault((numbers.get("RANK"), numbers.get("THREAD")), []).append(profile)
    return places, nodes


def _values(
    file: Structures, profile: int, functions: Integers
) -> tuple[Integers, Integers, Floats]:
    """Return the path, the metric and the number of each value of a profile.

    `functions` are the contexts that have a call path, and its number; -1 is that of others.
    """
    count, at_values, contexts, at_contexts = file.at(profile, "QQI4xQ")
    values = _array(file, at_values, count, [("metric", "<u2"), ("value", "<f8")])
    indices = _array(file, at_contexts, contexts, [("context", "<u4"), ("start", "<u8")])
    start = np.append(indices["start"], np.uint64(count)).astype(np.int64)
    lengths = np.diff(start)
    wrong = len(lengths) and (start[0] != 0 or lengths.min() < 0)
    value = values["value"].astype(np.float64)
    if wrong or not (np.isfinite(value).all() and (value >= 0).all()):
        raise InputError(
            "the values of a thread are damaged",
            where=f"byte {profile}",
            expected="numbers of 0 or more, in the order of their contexts",
            hint="Are meta.db and profile.db of one database, and whole?",
        )
    context = indices["context"].astype(np.int64)
    at = np.minimum(np.searchsorted(functions[:, 0], context), len(functions) - 1)
    path = np.where(functions[at, 0] == context, functions[at, 1], -1)
    path = np.repeat(path, lengths)
    return path, values["metric"].astype(np.int64), value


def _array(file: Structures, place: int, count: int, form: list[tuple[str, str]]) -> Any:
    kind = np.dtype(form)
    if place < 0 or place + count * kind.itemsize > len(file.data):
        raise file.outside(place)
    # A copy: the file is closed before the last array is forgotten.
    return np.frombuffer(file.data, kind, count, place).copy()
