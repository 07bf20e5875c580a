"""HPCToolkit's meta.db: metrics and call paths of a database of version 4.

Source: doc/FORMATS.md of HPCToolkit, which is in every database, too: "meta.db version 4.0".
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from ingest.parsing.call_paths import UNKNOWN, CallPaths, frame_name
from ingest.readers.profiles.hpctoolkit.metrics import Metric, metric
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
    """What a meta.db states.

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
                found[identity] = metric(file.text(name))
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
